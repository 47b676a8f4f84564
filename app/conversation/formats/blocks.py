"""Content blocks, as the chat APIs write them, to parts.

Covers both families of block names (OpenAI's and Claude's), because files mix them. Files and
audio become file parts, images stay bounded, unknown blocks are reported.
"""

from __future__ import annotations

import json
import re
from typing import Any

from app.conversation.formats.shapes import as_dict, as_list, as_name, as_text, is_list, last_of_url
from app.conversation.message import INVISIBLE, Part

MAX_IMAGE = 4_000_000  # characters of a data URL that are kept; a larger image is only named

_IMAGE_URL = re.compile(r"data:(image/(?:png|jpeg|gif|webp|avif));base64,", re.IGNORECASE)
_FENCES = re.compile(r"^[ ]{0,3}(`{3,})", re.MULTILINE)
_SILENT = frozenset({"token_budget", "flag", "start", "step-start", "step-finish"})


def text_part(text: str) -> list[Part]:
    """The text as a part, or nothing where nobody could see it."""
    return [Part("text", text)] if text.strip(INVISIBLE) else []


def fenced(text: str) -> str:
    """The text in a code fence that nothing in it can close."""
    longest = max((len(match[1]) for match in _FENCES.finditer(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{text.rstrip()}\n{fence}"


def file_part(name: str, text: str = "", media_type: str = "") -> Part:
    """A file with its extracted text, fenced, or only its name."""
    body = fenced(text) if text.strip(INVISIBLE) else ""
    return Part("file", body, name, media_type)


def image_part(url: str, name: str = "") -> Part:
    """An image: its data where that is an image of bounded size, else only its name or address.

    A remote address goes to ``text``: the page may show it as a link, and never loads it.
    """
    match = _IMAGE_URL.match(url)
    if match is not None and len(url) <= MAX_IMAGE:
        return Part("image", "", name, match[1].lower(), url)
    remote = url if url.startswith(("https://", "http://")) and len(url) <= 2000 else ""
    return Part("image", remote, name or last_of_url(url))


def blocks_to_parts(
    content: object, names: dict[str, str] | None = None
) -> tuple[list[Part], list[str]]:
    """The parts of a content value (text, number, block or list), and the kinds not understood.

    ``names`` leads from tool call ids to tool names; calls met here are added to it.
    """
    tools = {} if names is None else names
    parts: list[Part] = []
    unknown: list[str] = []
    blocks = as_list(content) if is_list(content) else [content]
    for block in blocks:
        found = _block(block, tools)
        if found is None:
            unknown.append(as_name(as_dict(block).get("type"), 40) or type(block).__name__)
        else:
            parts.extend(found)
    return parts, unknown


def call_part(name: object, arguments: object) -> Part:
    """A tool call; arguments that are no text are written as JSON."""
    return Part("tool_call", _as_source(arguments), as_name(name))


def result_part(name: object, content: object) -> Part:
    """A tool's result as text; images in it are named."""
    pieces: list[str] = []
    parts, _ = blocks_to_parts(content)
    for part in parts:
        if part.kind == "image":
            pieces.append(f"[image: {part.name}]" if part.name else "[image]")
        elif part.text:
            pieces.append(part.text)
    if not pieces and not isinstance(content, str | list) and content is not None:
        pieces.append(_as_source(content))
    return Part("tool_result", "\n\n".join(pieces), as_name(name))


def _block(block: object, tools: dict[str, str]) -> list[Part] | None:
    """The parts of one block; None if it is of no known kind."""
    if block is None:
        return []
    if isinstance(block, str):
        return text_part(as_text(block))
    if isinstance(block, bool):
        return None
    if isinstance(block, int | float):
        return text_part(str(block))
    fields = as_dict(block)
    kind = as_text(fields.get("type"))
    if kind in ("text", "input_text", "output_text") or (not kind and "text" in fields):
        text = fields.get("text")
        return text_part(as_text(text if isinstance(text, str) else as_dict(text).get("value")))
    if kind in ("thinking", "reasoning"):
        thought = as_text(fields.get("thinking") or fields.get("reasoning") or fields.get("text"))
        return [Part("reasoning", thought)] if thought.strip(INVISIBLE) else []
    if kind == "refusal":
        return text_part(as_text(fields.get("refusal")))
    if kind in ("tool_use", "server_tool_use", "tool_call", "function"):
        function = as_dict(fields.get("function")) or fields
        name = as_name(function.get("name"))
        if isinstance(fields.get("id"), str):
            tools[fields["id"]] = name
        arguments = function.get("input", function.get("arguments"))
        return [call_part(name, arguments)]
    if kind == "tool_result" or kind.endswith("_tool_result"):
        name = fields.get("name") or tools.get(as_text(fields.get("tool_use_id")), "")
        return [result_part(name, fields.get("content"))]
    if kind in _SILENT or kind == "redacted_thinking":
        return []
    return _media(kind, fields)


def _media(kind: str, fields: dict[str, Any]) -> list[Part] | None:
    """Images, files and audio; None for anything else."""
    if kind in ("image", "image_url", "input_image"):
        source = as_dict(fields.get("source"))
        url = fields.get("image_url", fields.get("url", source.get("url")))
        address = as_text(url) or as_text(as_dict(url).get("url"))
        if source.get("data"):
            media_type = as_name(source.get("media_type"), 60)
            address = f"data:{media_type};base64,{as_text(source['data'])}"
        return [image_part(address, as_name(fields.get("file_name") or fields.get("name")))]
    if kind in ("file", "input_file", "document"):
        inner = as_dict(fields.get("file")) or fields
        source = as_dict(fields.get("source"))
        name = next(
            (
                as_name(inner[key])
                for key in ("filename", "file_name", "title", "name", "file_id")
                if as_name(inner.get(key))
            ),
            "",
        )
        text = as_text(source.get("data")) if source.get("type") == "text" else ""
        return [file_part(name, text)]
    if kind in ("input_audio", "audio"):
        inner = as_dict(fields.get(kind))
        extension = as_name(inner.get("format"), 10)
        spoken = text_part(as_text(inner.get("transcript")))
        return spoken or [file_part(f"audio.{extension}" if extension else "audio")]
    return None


def _as_source(value: object) -> str:
    """A value as text: text as it is, anything else as JSON; "" for nothing."""
    if value is None:
        return ""
    if isinstance(value, str):
        return as_text(value)
    return as_text(json.dumps(value, ensure_ascii=False))
