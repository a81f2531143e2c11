// page_model.js -- the data as typed arrays, trees derived from it, and sums over them.
//
// A tree has its nodes in preorder: the subtree of node i is i .. end[i] - 1. sums[v] holds running
// sums of value v, so that a node's own amount is sums[v][i + 1] - sums[v][i] and its total is
// sums[v][end[i]] - sums[v][i]. Nothing here is recursive: stacks may be 10,000 frames deep.

const DIGIT = new Uint8Array(128);
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
for (let i = 0; i < 64; i++)
  DIGIT[DIGITS.charCodeAt(i)] = i;

// The numbers of a packed text (see page_data.c), stored into ARRAY from index FROM on.
function unpackInto(array, text, from) {
  const length = text.length;
  let at = from;
  for (let p = 0; p < length;) {
    let digit = DIGIT[text.charCodeAt(p++)];
    let number = digit & 31;
    for (let weight = 32; digit > 31; weight *= 32) {
      digit = DIGIT[text.charCodeAt(p++)];
      number += (digit & 31) * weight;
    }
    array[at++] = number;
  }
  return array;
}

// parent, depth and end of all nodes, from how far each lies above a child of the node before it.
function treeShape(tree, up) {
  const { count, parent, depth, end } = tree;
  const path = [0];
  for (let i = 1; i < count; i++) {
    const d = depth[i - 1] + 1 - up[i];
    depth[i] = d;
    parent[i] = path[d - 1];
    path[d] = i;
  }
  for (let i = count - 1; i >= 0; i--) {
    if (end[i] === 0)
      end[i] = i + 1;
    if (i > 0 && end[parent[i]] < end[i])
      end[parent[i]] = end[i];
  }
}

function treeNew(count) {
  return {
    count,
    parent: new Int32Array(count),
    depth: new Int32Array(count),
    end: new Int32Array(count),
    name: new Int32Array(count),
    module: new Int32Array(count),
    flags: new Uint8Array(count),
    sums: [],
  };
}

function treeFromData(data) {
  const tree = treeNew(data.nodes);
  treeShape(tree, unpackInto(new Int32Array(data.nodes), data.up, 0));
  unpackInto(tree.name, data.name, 0);
  tree.name[0] = -1;
  if (data.module)
    unpackInto(tree.module, data.module, 0);
  if (data.flags)
    unpackInto(tree.flags, data.flags, 0);
  // In a differential the sums before follow those after.
  const fields = data.kind === 'differential' ? ['self', 'before'] : ['self'];
  const packed = fields.flatMap((field) => data.values.map((value) => [value, field]));
  // Unpacked when first asked for: most pages are left without a look at the other values.
  packed.forEach(([value, field], i) => {
    Object.defineProperty(tree.sums, i, {
      configurable: true,
      enumerable: true,
      get() {
        const sums = runningSums(value[field], data.nodes);
        Object.defineProperty(tree.sums, i, { value: sums });
        value[field] = null;
        return sums;
      },
    });
  });
  return tree;
}

function runningSums(text, count) {
  const sums = unpackInto(new Float64Array(count + 1), text, 1);
  for (let i = 1; i <= count; i++)
    sums[i] += sums[i - 1];
  return sums;
}

// Collects nodes in any order, merged by (parent, name), and turns them into a tree.
class TreeBuilder {
  constructor(source, nameCount) {
    this.source = source;
    this.nameCount = nameCount;
    this.parent = [0];
    this.name = [-1];
    this.from = [0];
    this.index = new Map();
    this.sums = source.sums.map((sums) => sums);
    this.self = source.sums.map(() => [0]);
  }

  // FROM is the node of the source tree that lends its module and flags.
  child(parent, name, from) {
    const key = parent * this.nameCount + name;
    let node = this.index.get(key);
    if (node === undefined) {
      node = this.parent.length;
      this.index.set(key, node);
      this.parent.push(parent);
      this.name.push(name);
      this.from.push(from);
      for (const self of this.self)
        self.push(0);
    }
    return node;
  }

  // Add the amounts of the source's nodes FIRST .. END - 1.
  add(node, first, end) {
    for (let v = 0; v < this.self.length; v++)
      this.self[v][node] += this.sums[v][end] - this.sums[v][first];
  }

  finish() {
    const count = this.parent.length;
    const tree = treeNew(count);
    const child = new Int32Array(count);
    const sibling = new Int32Array(count);
    for (let i = count - 1; i > 0; i--) {
      sibling[i] = child[this.parent[i]];
      child[this.parent[i]] = i;
    }
    const up = new Int32Array(count);
    const sums = this.self.map(() => new Float64Array(count + 1));
    for (let place = 0, node = 0, climb = 0; place < count; place++) {
      up[place] = climb;
      tree.name[place] = this.name[node];
      tree.module[place] = this.source.module[this.from[node]];
      tree.flags[place] = this.source.flags[this.from[node]];
      for (let v = 0; v < sums.length; v++)
        sums[v][place + 1] = sums[v][place] + this.self[v][node];
      climb = 0;
      if (child[node] !== 0) {
        node = child[node];
        continue;
      }
      for (climb = 1; node !== 0 && sibling[node] === 0; climb++)
        node = this.parent[node];
      node = sibling[node];
    }
    tree.sums = sums;
    treeShape(tree, up);
    return tree;
  }
}

// 1 for each node that has a frame of the set above it, is one itself, or has one below.
function nodesNear(tree, wanted) {
  const near = new Uint8Array(tree.count);
  let inside = 0;
  for (let i = 1; i < tree.count; i++) {
    if (wanted.has(tree.name[i]) && tree.end[i] > inside)
      inside = tree.end[i];
    if (i < inside)
      near[i] = 2;
  }
  for (let i = tree.count - 1; i > 0; i--) {
    if (near[i] !== 0 && near[tree.parent[i]] === 0)
      near[tree.parent[i]] = 1;
  }
  return near;
}

// The tree with some functions hidden (what they did counts for their callers), only stacks that
// have a function of the focus, and recursion collapsed (a frame joins the same function above it).
function treeFiltered(tree, nameCount, { hidden, focus, collapse }) {
  const builder = new TreeBuilder(tree, nameCount);
  const target = new Int32Array(tree.count);
  const near = focus.size > 0 ? nodesNear(tree, focus) : null;
  const onPath = new Int32Array(collapse ? nameCount : 0);
  const path = [];
  if (!near)
    builder.add(0, 0, 1);
  for (let i = 1; i < tree.count; i++) {
    const name = tree.name[i];
    let node = target[tree.parent[i]];
    while (path.length > 0 && tree.depth[path[path.length - 1].at] >= tree.depth[i]) {
      const left = path.pop();
      onPath[left.name] = left.before;
    }
    if (near && near[i] === 0) {
      target[i] = node;
      continue;
    }
    if (!hidden.has(name)) {
      if (collapse && onPath[name] !== 0) {
        node = onPath[name];
      } else {
        node = builder.child(node, name, i);
      }
      if (collapse) {
        path.push({ at: i, name, before: onPath[name] });
        onPath[name] = node;
      }
    }
    target[i] = node;
    if (!near || near[i] === 2)
      builder.add(node, i, i + 1);
  }
  return builder.finish();
}

// Leaf-rooted: what a function did itself, under it its callers. With a function given: its totals
// by its callers.
function treeReversed(tree, nameCount, only) {
  const builder = new TreeBuilder(tree, nameCount);
  let covered = 0;
  for (let i = 1; i < tree.count; i++) {
    let end = i + 1;
    if (only >= 0) {
      if (tree.name[i] !== only || i < covered)
        continue;
      end = covered = tree.end[i];
    } else if (!tree.sums.some((sums) => sums[i + 1] !== sums[i])) {
      continue;
    }
    let node = 0;
    for (let at = i; at !== 0; at = tree.parent[at])
      node = builder.child(node, tree.name[at], at);
    builder.add(node, i, end);
  }
  if (only < 0)
    builder.add(0, 0, 1);
  return builder.finish();
}

// All that one function did, wherever it was called, merged.
function treeBelow(tree, nameCount, only) {
  const builder = new TreeBuilder(tree, nameCount);
  const target = new Int32Array(tree.count);
  let covered = 0;
  for (let i = 1; i < tree.count; i++) {
    if (i >= covered) {
      if (tree.name[i] !== only)
        continue;
      covered = tree.end[i];
      target[i] = builder.child(0, only, i);
    } else {
      target[i] = builder.child(target[tree.parent[i]], tree.name[i], i);
    }
    builder.add(target[i], i, i + 1);
  }
  return builder.finish();
}

// Per function below FROM: own amount, total (a recursive call counted once), and frames.
function functionTable(tree, sums, nameCount, from) {
  const total = new Float64Array(nameCount);
  const self = new Float64Array(nameCount);
  const frames = new Int32Array(nameCount);
  const covered = new Int32Array(nameCount);
  const end = tree.end[from];
  for (let i = from === 0 ? 1 : from; i < end; i++) {
    const name = tree.name[i];
    self[name] += sums[i + 1] - sums[i];
    frames[name]++;
    if (i >= covered[name]) {
      covered[name] = tree.end[i];
      total[name] += sums[tree.end[i]] - sums[i];
    }
  }
  return { total, self, frames };
}

// Who calls a function and whom it calls, with the totals of each pair (nested pairs counted once).
function functionNeighbours(tree, sums, nameCount, name) {
  const callers = new Map();
  const callees = new Map();
  const callerCovered = new Map();
  const calleeCovered = new Int32Array(nameCount);
  let total = 0, self = 0, frames = 0, covered = 0;
  const credit = (map, key, amount) => map.set(key, (map.get(key) || 0) + amount);
  for (let i = 1; i < tree.count; i++) {
    const end = tree.end[i];
    if (tree.name[i] === name) {
      const caller = tree.name[tree.parent[i]];
      frames++;
      self += sums[i + 1] - sums[i];
      if (i >= covered) {
        covered = end;
        total += sums[end] - sums[i];
      }
      if (i >= (callerCovered.get(caller) || 0)) {
        callerCovered.set(caller, end);
        credit(callers, caller, sums[end] - sums[i]);
      }
    }
    if (i > 1 && tree.name[tree.parent[i]] === name && i >= calleeCovered[tree.name[i]]) {
      calleeCovered[tree.name[i]] = end;
      credit(callees, tree.name[i], sums[end] - sums[i]);
    }
  }
  const sorted = (map) => [...map].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return { total, self, frames, callers: sorted(callers), callees: sorted(callees) };
}

// The amount of all frames below FROM whose function is in MATCHED, nested ones counted once, and
// the outermost of these frames, widest first.
function matchSum(tree, sums, matched, from) {
  const outermost = [];
  let amount = 0, frames = 0;
  for (let i = Math.max(from, 1), end = tree.end[from], covered = 0; i < end; i++) {
    if (matched[tree.name[i]] === 0)
      continue;
    frames++;
    if (i < covered)
      continue;
    covered = tree.end[i];
    amount += sums[tree.end[i]] - sums[i];
    outermost.push(i);
  }
  outermost.sort((a, b) =>
    (sums[tree.end[b]] - sums[b]) - (sums[tree.end[a]] - sums[a]) || a - b);
  return { amount, frames, outermost };
}

// 1 for each name that matches: a regular expression, in any case unless it has capitals.
function namesMatching(names, query) {
  const matched = new Uint8Array(names.length);
  const flags = /[A-Z]/.test(query.replace(/\\./g, '')) ? '' : 'i';
  let pattern, literal = false;
  try {
    pattern = new RegExp(query, flags);
  } catch (error) {
    literal = true;
    pattern = new RegExp(query.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), flags);
  }
  let count = 0;
  for (let i = 0; i < names.length; i++) {
    if (pattern.test(names[i])) {
      matched[i] = 1;
      count++;
    }
  }
  return { matched, count, literal };
}
