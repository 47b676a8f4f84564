"""Import and export: other programs' chat files and our own.

``read`` takes any known file (``steps`` with pauses between conversations);
``pleat_json.write`` and ``markdown.write`` make exports.
"""

from app.conversation.formats.detect import read, steps
from app.conversation.formats.report import (
    Counts,
    FormatError,
    Ids,
    Imported,
    ImportedConversation,
    Reason,
    Report,
)

__all__ = [
    "Counts",
    "FormatError",
    "Ids",
    "Imported",
    "ImportedConversation",
    "Reason",
    "Report",
    "read",
    "steps",
]
