"""Read the call trees of a recording, for tests.

Knows the layout of runtime/format/recording_format.h by itself, so that a mistake of the analyzer
cannot hide one of the recorder. Names come from nm.
"""
import bisect
import collections
import os
import struct
import subprocess

PAGE = 4096
EXTENT_FIRST = 128
NONE = (1 << 64) - 1
ATTACHED = 3 << 60 | 4096 # a mark beside the compiler's hook: what it calls is its parent's
SPECIAL = {1: "[unknown]", 4: "[elided]", 5: "[thread]", 6: "[fibres]"}
HEADER = struct.Struct("<QIIIIIIQQQIIIIIIiIQQQQ20QQQQQqqQQQQQ")


class Node:
    """One path of one thread; several records of the same path are added up."""

    def __init__(self, name, parent):
        self.name = name
        self.parent = parent
        self.children = {}
        self.calls = 0
        self.inclusive = 0
        self.off_cpu_ns = 0
        self.open = 0
        self.shortest = NONE
        self.longest = 0
        self.stacks = []

    def child(self, name):
        return self.children.setdefault(name, Node(name, self))

    def walk(self):
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(node.children.values())

    def path(self):
        names = []
        node = self
        while node.parent:
            names.append(node.name)
            node = node.parent
        return ";".join(reversed(names))

    def exclusive(self):
        return self.inclusive - sum(child.inclusive for child in self.children.values())


Span = collections.namedtuple("Span", "slot path start ticks stack")


class Recording:
    tables = {}  # symbols by path and time, for all recordings

    def __init__(self, path):
        with open(path, "rb") as file:
            used_pages = struct.unpack_from("<Q", file.read(PAGE), 104)[0]
            file.seek(0) # of a process that was killed the rest is a hole of gigabytes
            self.data = file.read(used_pages * PAGE)
        fields = HEADER.unpack_from(self.data)
        if self.data[:8] != b"THGREC\x1a\x0a":
            raise ValueError(path + " is no recording")
        self.start_ns, self.end_ns = fields[8], fields[9]
        self.segments = fields[22:42]
        (self.clock_kind, self.clock_last) = struct.unpack_from("<II", self.data, 576)
        points = struct.unpack_from("<6Q", self.data, 584)
        self.points = [points[i:i + 2] for i in (0, 2, 4)]
        (self.cost_inside, self.cost_outside) = struct.unpack_from("<II", self.data, 632)
        (self.nodes_taken, self.folded, self.steps_back) = struct.unpack_from("<3Q", self.data, 640)
        self.extents = self._extents()
        self.modules = self._modules()

    def _extents(self):
        result = []
        for segment, page in enumerate(self.segments):
            if page == 0:
                break
            for i in range(EXTENT_FIRST << segment):
                at = page * PAGE + i * 32
                kind, owner, first, count, index = struct.unpack_from("<IIQQQ", self.data, at)
                if kind:
                    result.append((kind, owner, first * PAGE, count * PAGE, index))
        return result

    def _records(self, kind, size):
        for extent in self.extents:
            if extent[0] == kind:
                for at in range(extent[2], extent[2] + extent[3], size):
                    yield extent[1], extent[4] + (at - extent[2]) // size, at

    def _text(self, at):
        offset, size = struct.unpack_from("<QI", self.data, at)
        return self.data[offset:offset + size].decode()

    def _modules(self):
        result = []
        for _, _, at in self._records(5, 128):
            start, end, bias = struct.unpack_from("<QQQ", self.data, at)
            if start:
                result.append((start, end, bias, self._text(at + 32)))
        return result

    def _symbols(self, path):
        key = (path, os.stat(path).st_mtime_ns if os.path.exists(path) else 0)
        if key not in self.tables:
            rows = []
            for options in (["-C"], ["-C", "-D"]):
                text = subprocess.run(["nm", *options, path], capture_output=True, text=True,
                                      check=False).stdout
                for line in text.splitlines():
                    words = line.split(" ", 2)
                    if len(words) == 3 and words[0] and words[1] in "tTwWi":
                        rows.append((int(words[0], 16), words[2]))
            self.tables[key] = sorted(rows)
        return self.tables[key]

    def name(self, address):
        if address >> 60 & 1:  # a section
            return self.data[address & (1 << 44) - 1:][:address >> 44 & 0xffff].decode()
        inside = address >> 61 & 1
        address &= ~(7 << 61)
        if address < 4096:
            return SPECIAL.get(address, "[%d]" % address)
        for start, end, bias, path in self.modules:
            if start <= address < end:
                rows = self._symbols(path)
                i = bisect.bisect_right(rows, (address - bias, "\x7f")) - 1
                if i >= 0 and (inside or rows[i][0] == address - bias):
                    return rows[i][1].split("(")[0]
                return "%s+0x%x" % (path.rsplit("/", 1)[-1], address - bias)
        return "0x%x" % address

    def ns_per_tick(self):
        if not self.clock_last:
            return 1.0
        (t0, n0), (t1, n1) = self.points[0], self.points[self.clock_last]
        return (n1 - n0) / (t1 - t0) if t1 != t0 else 1.0

    def records(self):
        """(slot, number, fields) of every node that is filled in."""
        for slot, _, at in self._records(10, 128):
            fields = struct.unpack_from("<6Q3I2H3Q4Q2I", self.data, at)
            if fields[0]:
                yield slot, at // 128, fields

    def trees(self):
        """The root of each slot."""
        nodes = {}
        rows = {number: (slot, fields) for slot, number, fields in self.records()}

        def get(number):
            chain = []
            while number and number not in nodes:
                chain.append(number)
                number = rows[number][1][7]
            for one in reversed(chain):
                fields = rows[one][1]
                parent = nodes.get(fields[7])
                if fields[0] == ATTACHED:
                    nodes[one] = parent
                    continue
                name = self.name(fields[0])
                nodes[one] = parent.child(name) if parent else Node(name, None)
            return nodes[chain[0]] if chain else nodes[number]

        for number, (_, fields) in rows.items():
            node = get(number)
            if rows[number][1][0] == ATTACHED:
                continue
            node.calls += fields[5]
            node.inclusive += fields[4]
            node.off_cpu_ns += fields[13]
            node.open += fields[3] not in (0, (1 << 63) - 1)
            node.shortest = min(node.shortest, fields[11])
            node.longest = max(node.longest, fields[12])
            if fields[18]:
                node.stacks.append(fields[18])
        return {rows[n][0]: nodes[n] for n in rows if rows[n][1][7] == 0}

    def spans(self):
        """[Span], each once, in the order of their starts: callers before callees."""
        threads = {slot: struct.unpack_from("<2Q", self.data, at + 56)
                   for _, slot, at in self._records(4, 128)}
        rows = {number: fields for _, number, fields in self.records()}
        paths, seen = {}, {}

        def path(number):
            if number not in paths:
                names = []
                while rows[number][7]:
                    names.append(self.name(rows[number][0]))
                    number = rows[number][7]
                return ";".join(reversed(names))
            return paths[number]

        for kind, slot, first, size, _ in self.extents:
            for at in range(first, first + size - 23, 24) if kind == 11 else ():
                start, ticks, node, stack = struct.unpack_from("<QQII", self.data, at)
                if node and ticks >= threads[slot][0]:
                    paths[node] = path(node)
                    seen[start, node] = Span(slot, paths[node], start, ticks, stack)
        self.resolutions = {slot: resolution for slot, (resolution, _) in threads.items()}
        self.spans_lost = sum(lost for _, lost in threads.values())
        return sorted(seen.values(), key=lambda span: (span.start, span.path.count(";")))

    def heap(self):
        """{path: (allocations, bytes)}, of what was booked on nodes of the trees."""
        owners, sums = {}, {}
        for root in self.trees().values():
            for node in root.walk():
                for stack in node.stacks:
                    owners[stack] = node.path()
        for _, stack, at in self._records(3, 64):
            allocations, size = struct.unpack_from("<QQ", self.data, at)
            if stack in owners and allocations:
                before = sums.get(owners[stack], (0, 0))
                sums[owners[stack]] = (before[0] + allocations, before[1] + size)
        return sums

    def frees(self):
        """Of recorded blocks."""
        return sum(struct.unpack_from("<Q", self.data, at + 16)[0]
                   for _, _, at in self._records(3, 64))

    def stack_names(self):
        """{stack id: path} by the stack trie."""
        nodes = {index: struct.unpack_from("<QII", self.data, at)
                 for _, index, at in self._records(1, 16)}
        result = {}
        for _, stack, at in self._records(2, 8):
            node = struct.unpack_from("<II", self.data, at)[0]
            names = []
            while node:
                key, node, _ = nodes[node]
                flags = key >> 60 & 7
                names.append(self.name(key & ~(3 << 62) if flags else key & ~(3 << 62) | 1 << 61))
            if names:
                result[stack] = ";".join(reversed(names))
        return result

    def paths(self):
        """{path: calls} over all slots."""
        result = {}
        for root in self.trees().values():
            for node in root.walk():
                if node.calls:
                    result[node.path()] = result.get(node.path(), 0) + node.calls
        return result


if __name__ == "__main__":
    import sys

    recording = Recording(sys.argv[1])
    tick = recording.ns_per_tick()
    print("clock %d, %.4f ns per tick, cost %.1f + %.1f ticks, nodes %d, folded %d, back %d" % (
        recording.clock_kind, tick, recording.cost_inside / 1024, recording.cost_outside / 1024,
        recording.nodes_taken, recording.folded, recording.steps_back))
    for slot, root in recording.trees().items():
        for node in root.walk():
            print("%d %-40s calls %d incl %.3f ms self %.3f ms off %.3f ms min %.0f max %.0f%s" % (
                slot, node.path() or "[thread]", node.calls, node.inclusive * tick / 1e6,
                node.exclusive() * tick / 1e6, node.off_cpu_ns / 1e6,
                node.shortest * tick if node.shortest != NONE else -1, node.longest * tick,
                " OPEN" if node.open else ""))
