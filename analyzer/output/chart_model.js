// chart_model.js -- lanes of single calls as typed arrays, and how to find calls in them.
//
// A lane's calls are numbered by their starts. ORDER has them row by row, and in a row by time: there
// they never overlap, so that their starts and their ends both rise and can be searched by halving.
// MATCHES[p] counts the calls before place p of ORDER that a search has found.

function laneFromData(data, tree) {
  const { count } = data;
  const start = unpackInto(new Float64Array(count), data.start, 0);
  const end = unpackInto(new Float64Array(count), data.length, 0);
  const node = unpackInto(new Int32Array(count), data.node, 0);
  for (let i = 1; i < count; i++)
    start[i] += start[i - 1];
  let rows = 0;
  for (let i = 0; i < count; i++) {
    end[i] += start[i];
    rows = Math.max(rows, tree.depth[node[i]]);
  }
  const lane = { ...data, start, end, node, rows, open: new Set(data.open), folded: false, matches: null };
  lane.rowFirst = new Int32Array(rows + 1);
  for (let i = 0; i < count; i++)
    lane.rowFirst[tree.depth[node[i]]]++;
  for (let row = 0; row < rows; row++)
    lane.rowFirst[row + 1] += lane.rowFirst[row];
  lane.order = new Int32Array(count);
  lane.place = new Int32Array(count);
  const next = lane.rowFirst.slice();
  for (let i = 0; i < count; i++) {
    lane.place[i] = next[tree.depth[node[i]] - 1]++;
    lane.order[lane.place[i]] = i;
  }
  return lane;
}

// The first place from FIRST on, below LAST, whose call ends behind TIME.
function placeEndingBehind(lane, first, last, time) {
  let low = first, high = last;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lane.end[lane.order[middle]] > time)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// The call of ROW that covers TIME, else -1. SLACK: as far beside one counts as well.
function callAt(lane, row, time, slack) {
  const last = lane.rowFirst[row + 1];
  const place = placeEndingBehind(lane, lane.rowFirst[row], last, time - slack);
  return place < last && lane.start[lane.order[place]] <= time + slack ? lane.order[place] : -1;
}

function callerOf(lane, tree, call) {
  const row = tree.depth[lane.node[call]] - 2;
  const parent = tree.parent[lane.node[call]];
  if (row < 0)
    return -1;
  const last = lane.rowFirst[row + 1];
  let place = placeEndingBehind(lane, lane.rowFirst[row], last, lane.start[call]);
  // A call without length lies at the end of one that has ended just then.
  if (place > lane.rowFirst[row] && (place === last || lane.start[lane.order[place]] > lane.start[call]))
    place--;
  return place < last && lane.node[lane.order[place]] === parent ? lane.order[place] : -1;
}

// The places of what CALL has called: [first, last).
function calleePlaces(lane, tree, call) {
  const row = tree.depth[lane.node[call]];
  if (row >= lane.rows)
    return [0, 0];
  const rowLast = lane.rowFirst[row + 1];
  let first = placeEndingBehind(lane, lane.rowFirst[row], rowLast, lane.start[call]);
  let last = first;
  while (first > lane.rowFirst[row] && lane.start[lane.order[first - 1]] >= lane.start[call])
    first--;
  last = placeEndingBehind(lane, first, rowLast, lane.end[call]);
  return [first, Math.max(first, last)];
}

// What to draw of ROW between FROM and TO: ONE(call) for each that takes LEAST or more. Neighbours that
// take less each are drawn as one, MANY({first, last, start, end, found}) with places of ORDER, as far as
// they lie close together and are alike in what a search has found.
function walkRow(lane, row, from, to, least, one, many) {
  const last = lane.rowFirst[row + 1];
  const isShort = (call) => lane.end[call] - lane.start[call] < least;
  const continues = (call, end) => lane.start[call] - end < 2 * least && isShort(call) && lane.start[call] < to;
  let at = placeEndingBehind(lane, lane.rowFirst[row], last, from);
  while (at < last && lane.start[lane.order[at]] < to) {
    const call = lane.order[at];
    if (!isShort(call)) {
      one(call);
      at++;
      continue;
    }
    const run = { first: at, last: at, start: lane.start[call], end: 0, found: false };
    while (run.last < last && (run.last === at || continues(lane.order[run.last], run.end))) {
      const next = placeEndingBehind(lane, run.last + 1, last, lane.start[lane.order[run.last]] + least);
      const found = lane.matches !== null && lane.matches[next] > lane.matches[run.last];
      if (run.last > at && found !== run.found)
        break;
      run.found = found;
      run.end = lane.end[lane.order[next - 1]];
      run.last = next;
    }
    many(run);
    at = run.last;
  }
}

// The share of a node's calls, and of their time, that have no place in any lane.
function restFromData(data) {
  return {
    calls: unpackInto(new Float64Array(data.nodes), data.rest.calls, 0),
    ns: unpackInto(new Float64Array(data.nodes), data.rest.ns, 0),
  };
}

// Calls below NODE that are too short to be shown, by function: [name, calls, ns].
function shortCallees(tree, rest, node) {
  const rows = [];
  for (let c = node + 1; c < tree.end[node]; c = tree.end[c]) {
    if (rest.calls[c] > 0)
      rows.push([tree.name[c], rest.calls[c], rest.ns[c]]);
  }
  return rows.sort((a, b) => b[2] - a[2] || a[0] - b[0]);
}

function momentsFromData(data) {
  const ns = unpackInto(new Float64Array(data.count), data.ns, 0);
  const bytes = unpackInto(new Float64Array(data.count), data.bytes, 0);
  let most = 0;
  for (let i = 0; i < data.count; i++) {
    ns[i] += i > 0 ? ns[i - 1] : 0;
    most = Math.max(most, bytes[i]);
  }
  return { count: data.count, ns, bytes, most };
}

// The last moment at or before TIME, else -1.
function momentAt(moments, time) {
  let low = 0, high = moments.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (moments.ns[middle] > time)
      high = middle;
    else
      low = middle + 1;
  }
  return low - 1;
}

// Calls and time of every function between FROM and TO, of all lanes; recursion counts once.
function functionsBetween(lanes, tree, nameCount, from, to) {
  const calls = new Float64Array(nameCount);
  const total = new Float64Array(nameCount);
  // Has a caller of a node its name?
  const inner = new Uint8Array(tree.count);
  const depthOf = new Int32Array(nameCount);
  const path = [];
  for (let node = 1; node < tree.count; node++) {
    while (path.length > 0 && tree.end[path[path.length - 1]] <= node)
      depthOf[tree.name[path.pop()]]--;
    inner[node] = depthOf[tree.name[node]] > 0 ? 1 : 0;
    depthOf[tree.name[node]]++;
    path.push(node);
  }
  for (const lane of lanes) {
    for (let i = 0; i < lane.count && lane.start[i] < to; i++) {
      const part = Math.min(lane.end[i], to) - Math.max(lane.start[i], from);
      if (part < 0)
        continue;
      const name = tree.name[lane.node[i]];
      calls[name]++;
      if (!inner[lane.node[i]])
        total[name] += part;
    }
  }
  return { calls, total };
}

// Steps of 1, 2 or 5 times a power of ten ns, at least LEAST apart.
function tickStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least);
}

// A time in the unit of STEP, with the digits that it needs: "12.5 ms".
function tickText(ns, step) {
  const [size, unit] = UNIT_STEPS.ns.find((one) => Math.max(step, ns) >= one[0]) || [1, 'ns'];
  const digits = Math.min(9, Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9)));
  return (ns / size).toFixed(digits) + '\u00a0' + unit;
}
