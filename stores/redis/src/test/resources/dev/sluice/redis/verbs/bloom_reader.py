"""Reads a string of a Sluice Bloom filter and answers for elements: docs/bloom-format.md in Python.

Argument: the filter's name.
Standard input: the string in hexadecimal on the first line, then an element in hexadecimal on each line.
Standard output: "h1 h2 maybe" or "h1 h2 no" for each element.
"""
import struct
import sys
import zlib

M64 = (1 << 64) - 1


def rotl(x, n):
    return (x << n | x >> 64 - n) & M64


def mix(x):
    x = (x ^ x >> 33) * 0xFF51AFD7ED558CCD & M64
    x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53 & M64
    return x ^ x >> 33


def murmur3_x64_128(data):
    c1, c2, h1, h2 = 0x87C37B91114253D5, 0x4CF5AD432745937F, 0, 0
    whole = len(data) // 16 * 16
    blocks = [(i, 16) for i in range(0, whole, 16)] + ([(whole, len(data) - whole)] if len(data) > whole else [])
    for at, size in blocks:
        k1, k2 = struct.unpack("<QQ", data[at:at + size].ljust(16, b"\0"))
        h1 ^= rotl(k1 * c1 & M64, 31) * c2 & M64
        if size == 16:
            h1 = (rotl(h1, 27) + h2) * 5 + 0x52DCE729 & M64
        h2 ^= rotl(k2 * c2 & M64, 33) * c1 & M64
        if size == 16:
            h2 = (rotl(h2, 31) + h1) * 5 + 0x38495AB5 & M64
    h1, h2 = h1 ^ len(data), h2 ^ len(data)
    h1 = h1 + h2 & M64
    h2 = mix(h2 + h1 & M64)
    h1 = mix(h1)
    h1 = h1 + h2 & M64
    return h1, h2 + h1 & M64


def main():
    string = bytes.fromhex(sys.stdin.readline())
    magic, k, _state, _nonce, m = struct.unpack(">4sBBHQ", string[:16])
    assert magic == b"SLB\x01", "not a filter of format 1"
    check, _partition = struct.unpack(">II", string[32:40])
    fixed = string[:5] + b"\0" + string[6:16] + bytes(8) + string[24:32] + bytes(4) + string[36:56] + bytes(8)
    assert check == zlib.crc32(fixed, zlib.crc32(sys.argv[1].encode())), "another filter, or damaged"
    for line in sys.stdin:
        h1, h2 = murmur3_x64_128(bytes.fromhex(line))
        bits = [64 * 8 + (h1 + i * h2 + (i ** 3 - i) // 6 & M64) % m for i in range(k)]
        found = all(b // 8 < len(string) and string[b // 8] & 0x80 >> b % 8 for b in bits)
        print("%016x %016x %s" % (h1, h2, "maybe" if found else "no"))


main()
