#!/usr/bin/env python3
"""oci.py OUT.tar NAME LAYER... [-- WORD...]: writes a container image as an archive for `ctr images import`.

A layer is a folder, whose files become root's, or a tar file; equal layers of two images have equal digests. A layer written as
known:FILE.tar is named in the image and left out of the archive: the store has it already. Layers are not compressed, as nothing
is sent anywhere. WORDs are what a container runs by default."""
import hashlib
import io
import json
import sys
import tarfile

out, name, *rest = sys.argv[1:]
cut = rest.index("--") if "--" in rest else len(rest)
layers, words = rest[:cut], rest[cut + 1 :]
blobs = {}


def described(kind, content, is_kept=True):
    digest = hashlib.sha256(content).hexdigest()
    if is_kept:
        blobs[digest] = content
    return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(content)}


def packed(folder):
    def as_roots(entry):
        entry.uid = entry.gid = entry.mtime = 0
        entry.uname = entry.gname = ""
        return entry

    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as archive:
        archive.add(folder, arcname=".", filter=as_roots)
    return content.getvalue()


def layer(word):
    file = word.removeprefix("known:")
    if file.endswith(".tar"):
        with open(file, "rb") as content:
            return described("layer.v1.tar", content.read(), file == word)
    return described("layer.v1.tar", packed(file))


described_layers = [layer(word) for word in layers]
config = {
    "architecture": "amd64",
    "os": "linux",
    "config": {"Env": ["PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"], "Cmd": words},
    "rootfs": {"type": "layers", "diff_ids": [one["digest"] for one in described_layers]},
}
manifest = {
    "schemaVersion": 2,
    "mediaType": "application/vnd.oci.image.manifest.v1+json",
    "config": described("config.v1+json", json.dumps(config).encode()),
    "layers": described_layers,
}
entry = described("manifest.v1+json", json.dumps(manifest).encode())
entry["annotations"] = {"io.containerd.image.name": name}
index = {"schemaVersion": 2, "manifests": [entry]}

with tarfile.open(out, "w") as archive:

    def add(path, content):
        member = tarfile.TarInfo(path)
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))

    add("oci-layout", b'{"imageLayoutVersion":"1.0.0"}')
    add("index.json", json.dumps(index).encode())
    for digest, content in blobs.items():
        add("blobs/sha256/" + digest, content)
