/** Contains the script of the inspector's page. It inserts text from requests only as text nodes, never as markup. */

export const script = String.raw`
const byId = (id) => document.getElementById(id);
const maxRows = 300;
const rows = [];
let pausedEntries = [];

function element(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function bodyDetail(title, text) {
  return text === '' ? [] : [element('dt', {}, title), element('dd', {}, element('pre', { tabindex: '0' }, text))];
}

function textDetail(title, text) {
  return text === '' ? [] : [element('dt', {}, title), element('dd', {}, text)];
}

function rowOf(entry) {
  const status = entry.status === 0 ? 'failed' : String(entry.status);
  const summary = element('summary', {},
    element('span', { class: 'method' }, entry.method),
    element('span', { class: 'target' }, entry.target),
    element('span', { class: 'scope' }, entry.scope),
    element('span', { class: 'status s' + String(entry.status)[0] }, status),
    element('span', { class: 'time' }, entry.milliseconds + ' ms'),
  );
  const details = element('details', {}, summary);
  // The details are built when they are first opened.
  details.addEventListener('toggle', () => {
    details.append(element('dl', {},
      ...textDetail('Number', String(entry.number)),
      ...textDetail('At', entry.at + ' UTC'),
      ...textDetail('Scope used', entry.scope),
      ...textDetail('Fault', entry.fault),
      ...bodyDetail('Request body', entry.request),
      ...bodyDetail('Response body', entry.response),
    ));
  }, { once: true });
  if (entry.fault !== '') summary.append(element('span', { class: 'fault' }, entry.fault));
  const searchedValues = [entry.method, entry.target, status, entry.scope, entry.fault, entry.request, entry.response];
  return { entry, searchText: searchedValues.join('\n').toLowerCase(), item: element('li', {}, details) };
}

function matchesFilters({ entry, searchText }) {
  const { value: method } = byId('method');
  const { value: status } = byId('status');
  return searchText.includes(byId('search').value.trim().toLowerCase())
    && (method === '' || entry.method === method)
    && (status === '' || String(entry.status)[0] === status);
}

function updateCounts() {
  const visibleCount = rows.filter(({ item }) => !item.hidden).length;
  const paused = pausedEntries.length > 0 ? ', ' + pausedEntries.length + ' new while paused' : '';
  byId('shown').textContent = rows.length === 0 ? '' : visibleCount + ' of ' + rows.length + ' shown' + paused;
  byId('none').hidden = rows.length > 0;
}

function addRow(entry) {
  const row = rowOf(entry);
  row.item.hidden = !matchesFilters(row);
  rows.push(row);
  byId('requests').prepend(row.item);
  if (rows.length > maxRows) rows.shift().item.remove();
}

function isPaused() {
  return byId('pause').getAttribute('aria-pressed') === 'true';
}

byId('filters').addEventListener('input', () => {
  for (const row of rows) row.item.hidden = !matchesFilters(row);
  updateCounts();
});
byId('filters').addEventListener('submit', (event) => event.preventDefault());
byId('pause').addEventListener('click', () => {
  byId('pause').setAttribute('aria-pressed', String(!isPaused()));
  if (!isPaused()) pausedEntries.splice(0).forEach(addRow);
  updateCounts();
});
byId('clear').addEventListener('click', () => {
  for (const { item } of rows.splice(0)) item.remove();
  pausedEntries = [];
  updateCounts();
});
addEventListener('keydown', (event) => {
  const isTyping = event.target.matches('input, select');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  byId('search').focus();
});

const stream = new EventSource('/inspector/stream');
stream.addEventListener('request', ({ data }) => {
  // After a disconnect, the browser sends the last event's ID, and the stream resumes after it.
  const entry = JSON.parse(data);
  if (isPaused()) pausedEntries = [...pausedEntries, entry].slice(-maxRows);
  else addRow(entry);
  updateCounts();
});
stream.addEventListener('state', ({ data }) => {
  const { clock, records, events, faults } = JSON.parse(data);
  byId('clock').textContent = clock.now + ' UTC' + (clock.isFrozen ? ', stopped' : '');
  byId('faults').hidden = faults === 0;
  byId('faults').textContent = faults === 1 ? '1 fault rule' : faults + ' fault rules';
  byId('counts').replaceChildren(...Object.entries(records).map(([name, { active, deleted }]) => element('tr', {},
    element('th', { scope: 'row' }, name.replaceAll('_', ' ')), element('td', {}, String(active)), element('td', {}, String(deleted)))));
  byId('no-events').hidden = events.length > 0;
  byId('events').hidden = events.length === 0;
  byId('events').replaceChildren(...events.map(({ at, type, about }) => element('li', {},
    element('strong', {}, type), element('span', {}, about), element('time', {}, at))));
});
stream.addEventListener('open', () => {
  byId('connection').textContent = 'Live';
  byId('connection').className = 'live';
});
stream.addEventListener('error', () => {
  byId('connection').textContent = 'Not connected';
  byId('connection').className = '';
});
updateCounts();
`;
