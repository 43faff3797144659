/** The script of the inspector's page. Text from requests becomes text nodes only, never markup. */

/** The script's source. */
export const script = String.raw`
const byId = (id) => document.getElementById(id);
const mostRows = 300;
const rows = [];
let waiting = [];

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function block(title, text) {
  return text === '' ? [] : [element('dt', {}, title), element('dd', {}, element('pre', { tabindex: '0' }, text))];
}

function line(title, text) {
  return text === '' ? [] : [element('dt', {}, title), element('dd', {}, text)];
}

function rowOf(entry) {
  const status = entry.status === 0 ? 'broken' : String(entry.status);
  const summary = element('summary', {},
    element('span', { class: 'method' }, entry.method),
    element('span', { class: 'target' }, entry.target),
    element('span', { class: 'scope' }, entry.scope),
    element('span', { class: 'status s' + String(entry.status)[0] }, status),
    element('span', { class: 'time' }, entry.milliseconds + ' ms'),
  );
  const details = element('details', {}, summary);
  // Filled when it is opened: most never are.
  details.addEventListener('toggle', () => {
    details.append(element('dl', {},
      ...line('Number', String(entry.number)),
      ...line('At', entry.at + ' UTC'),
      ...line('Scope used', entry.scope),
      ...line('Fault', entry.fault),
      ...block('Request body', entry.request),
      ...block('Response body', entry.response),
    ));
  }, { once: true });
  if (entry.fault !== '') summary.append(element('span', { class: 'fault' }, entry.fault));
  const words = [entry.method, entry.target, status, entry.scope, entry.fault, entry.request, entry.response];
  return { entry, words: words.join('\n').toLowerCase(), item: element('li', {}, details) };
}

function isWanted({ entry, words }) {
  const { value: method } = byId('method');
  const { value: status } = byId('status');
  return words.includes(byId('words').value.trim().toLowerCase())
    && (method === '' || entry.method === method)
    && (status === '' || String(entry.status)[0] === status);
}

function count() {
  const shown = rows.filter(({ item }) => !item.hidden).length;
  const held = waiting.length > 0 ? ', ' + waiting.length + ' more waiting' : '';
  byId('shown').textContent = rows.length === 0 ? '' : shown + ' of ' + rows.length + ' shown' + held;
  byId('none').hidden = rows.length > 0;
}

function show(entry) {
  const row = rowOf(entry);
  row.item.hidden = !isWanted(row);
  rows.push(row);
  byId('requests').prepend(row.item);
  if (rows.length > mostRows) rows.shift().item.remove();
}

function isPaused() {
  return byId('pause').getAttribute('aria-pressed') === 'true';
}

byId('filters').addEventListener('input', () => {
  for (const row of rows) row.item.hidden = !isWanted(row);
  count();
});
byId('filters').addEventListener('submit', (event) => event.preventDefault());
byId('pause').addEventListener('click', () => {
  byId('pause').setAttribute('aria-pressed', String(!isPaused()));
  if (!isPaused()) waiting.splice(0).forEach(show);
  count();
});
byId('clear').addEventListener('click', () => {
  for (const { item } of rows.splice(0)) item.remove();
  waiting = [];
  count();
});
addEventListener('keydown', (event) => {
  const isTyping = event.target.matches('input, select');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  byId('words').focus();
});

const stream = new EventSource('/inspector/stream');
stream.addEventListener('request', ({ data }) => {
  // After a break the browser says what came last, and the stream goes on from there.
  const entry = JSON.parse(data);
  if (isPaused()) waiting = [...waiting, entry].slice(-mostRows);
  else show(entry);
  count();
});
stream.addEventListener('state', ({ data }) => {
  const { clock, records, events, faults } = JSON.parse(data);
  byId('clock').textContent = clock.now + ' UTC' + (clock.isFrozen ? ', stopped' : '');
  byId('faults').hidden = faults === 0;
  byId('faults').textContent = faults === 1 ? '1 fault is set' : faults + ' faults are set';
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
count();
`;
