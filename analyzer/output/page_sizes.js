// page_sizes.js -- how large single allocations were, in the side panel; only where that is known.

const SIZE_COUNT = { unit: 'count', shift: 0, scale: 1 };
const SIZE_BYTES = { unit: 'bytes', shift: 0, scale: 1 };

// AMOUNT and WHOLE are texts of digits: they may be beyond what a number holds exactly.
function sizeCell(amount, whole, value) {
  const cell = cellOf(Number(amount), Number(whole), value, true);
  cell.title = exactText(amount, value) + ', ' + shareText(Number(amount), Number(whole));
  return cell;
}

function sizeRanges(sizes, what) {
  return h('table', { 'aria-label': 'Sizes of ' + what },
    h('thead', null, h('tr', null, h('th', { class: 'name', scope: 'col' }, 'Size'),
      h('th', { class: 'wide', scope: 'col' }, 'Count'),
      h('th', { class: 'wide', scope: 'col' }, sizes.exact ? 'Bytes' : 'Bytes, at most'))),
    h('tbody', null, ...sizes.ranges.map(([title, count, bytes]) => h('tr', null, h('th', { scope: 'row' }, title),
      sizeCell(count, sizes.count, SIZE_COUNT), sizeCell(bytes, sizes.bytes, SIZE_BYTES)))));
}

function sizeMarks(sizes) {
  return h('table', { class: 'scale', 'aria-label': 'Percentiles' }, h('tbody', null, ...sizes.marks.map(([title, bytes]) =>
    h('tr', null, h('th', { scope: 'row' }, title),
      h('td', { class: 'number', title: exactText(bytes, SIZE_BYTES) }, amountText(Number(bytes), SIZE_BYTES))))));
}

function panelSizes(app, panel) {
  const { sizes } = app.data;
  const what = sizes.freed ? 'frees' : 'allocations';
  refill(panel,
    h('p', { class: 'strong' }, amountText(Number(sizes.count), SIZE_COUNT) + ' ' + (sizes.count === '1' ? what.slice(0, -1) : what) +
      ', ' + amountText(Number(sizes.total), SIZE_BYTES)),
    h('p', null, 'Of all single ' + what + ', whatever is zoomed or hidden here.'),
    sizeRanges(sizes, what),
    h('h2', null, 'Percentiles'),
    sizeMarks(sizes),
    h('p', null, 'Of 100 ' + what + ' 90 are no larger than p90.'));
}
