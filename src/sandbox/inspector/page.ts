/** Builds the inspector's page, which shows the data of the event stream. */
import { html } from 'hono/html';
import { palette } from '../../base/palette.ts';
import { type HtmlPage, htmlPage } from '../server/page.ts';

/** The page, built at the first request. */
let cachedPage: HtmlPage | undefined;

export function inspectorPage(): HtmlPage {
  cachedPage ??= htmlPage({ title: 'boh sandbox', style, script, policy: ["connect-src 'self'"], body });
  return cachedPage;
}

const body = html`
<header>
  <h1>boh <span>sandbox</span></h1>
  <p id="clock"></p>
  <p id="faults" hidden></p>
  <p id="connection" role="status">Connecting …</p>
</header>
<main>
  <section aria-labelledby="requests-title">
    <div class="bar">
      <h2 id="requests-title">Requests</h2>
      <form id="filters" role="search">
        <label>Find <input id="search" type="search" placeholder="path, scope, text in a body" autocomplete="off"></label>
        <label>Method
          <select id="method">
            <option value="">all</option><option>GET</option><option>POST</option><option>PUT</option><option>DELETE</option>
          </select>
        </label>
        <label>Status
          <select id="status">
            <option value="">all</option><option value="2">2xx</option><option value="4">4xx</option>
            <option value="5">5xx</option><option value="0">failed</option>
          </select>
        </label>
        <button id="pause" type="button" aria-pressed="false">Pause</button>
        <button id="clear" type="button">Clear</button>
      </form>
    </div>
    <p id="shown" role="status"></p>
    <p id="none">No requests yet. Requests to this server appear here.</p>
    <ol id="requests" reversed></ol>
  </section>
  <aside>
    <section aria-labelledby="events-title">
      <h2 id="events-title">Events</h2>
      <p id="no-events">No events yet.</p>
      <ol id="events" tabindex="0" aria-labelledby="events-title"></ol>
    </section>
    <section aria-labelledby="counts-title">
      <h2 id="counts-title">Records</h2>
      <table>
        <thead><tr><th scope="col">Resource</th><th scope="col">Active</th><th scope="col">Deleted</th></tr></thead>
        <tbody id="counts"></tbody>
      </table>
    </section>
  </aside>
</main>
<noscript><p class="notice">This page needs JavaScript to show requests as they arrive.</p></noscript>
`;

/** The inspector's styles: two columns on a wide screen, one on a phone, light or dark by the system's setting. */
const style = `
:root {
  color-scheme: light dark;
${palette}
  --warn: light-dark(#8a4b00, #f0b265);
  --bad: light-dark(#a3201b, #ff9a91);
  --mono: ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace;
  font: 1rem/1.45 system-ui, sans-serif;
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--paper); color: var(--ink); }
header {
  display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1.25rem;
  padding: .875rem 1.25rem; border-bottom: 1px solid var(--line); background: var(--card);
}
header p { margin: 0; color: var(--faint); font-size: .9375rem; font-variant-numeric: tabular-nums; }
h1 { margin: 0; font-size: 1.125rem; }
h1 span { font-weight: 400; color: var(--faint); }
h2 { margin: 0; font-size: 1rem; }
#connection { margin-left: auto; }
#connection::before { content: "○ "; }
#connection.live { color: var(--accent); }
#connection.live::before { content: "● "; }
#faults { color: var(--warn); }
main { display: grid; grid-template-columns: minmax(0, 1fr) 21rem; gap: 1.25rem; padding: 1.25rem; align-items: start; }
main > section, aside > section { background: var(--card); border: 1px solid var(--line); border-radius: .625rem; }
main > section { padding-bottom: .25rem; }
aside { display: grid; gap: 1.25rem; }
aside > section { padding: .875rem 1rem; overflow-x: auto; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: .625rem 1.25rem; padding: .75rem 1rem; }
form { display: flex; flex-wrap: wrap; gap: .5rem .75rem; margin-left: auto; align-items: center; }
label { color: var(--faint); font-size: .875rem; }
input, select, button {
  font: inherit; font-size: .875rem; min-height: 2.25rem; padding: .25rem .625rem; color: var(--ink);
  background: var(--paper); border: 1px solid var(--faint); border-radius: .375rem;
}
input { width: 15rem; max-width: 100%; }
button { cursor: pointer; }
button[aria-pressed="true"] { background: var(--accent); border-color: var(--accent); color: var(--card); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
#shown, #none { margin: 0; padding: 0 1rem .5rem; color: var(--faint); font-size: .875rem; }
#none { padding: 1rem 1rem 1.5rem; }
ol { list-style: none; margin: 0; padding: 0; }
#requests li { border-top: 1px solid var(--line); }
summary {
  display: grid; grid-template-columns: 4.25rem minmax(0, 1fr) auto 3.5rem 5rem; gap: .125rem .75rem; align-items: baseline;
  padding: .4375rem 1rem; cursor: pointer; font: .8125rem/1.5 var(--mono); list-style: none;
}
summary::-webkit-details-marker { display: none; }
summary:hover, details[open] > summary { background: light-dark(#f8f6f2, #272b2f); }
summary:focus-visible { outline-offset: -3px; }
.method { font-weight: 700; }
.target { overflow-wrap: anywhere; }
.scope { color: var(--faint); }
.status { text-align: right; }
.time { text-align: right; color: var(--faint); font-variant-numeric: tabular-nums; }
.status { font-weight: 700; color: var(--accent); }
.s4 { color: var(--warn); }
.s5, .s0 { color: var(--bad); }
.fault { grid-column: 2 / -1; color: var(--warn); }
dl { margin: 0; padding: .25rem 1rem 1rem; display: grid; grid-template-columns: 8rem minmax(0, 1fr); gap: .375rem .75rem; }
dt { color: var(--faint); font-size: .875rem; }
dd { margin: 0; font-size: .875rem; overflow-wrap: anywhere; }
pre {
  margin: 0; padding: .625rem .75rem; max-height: 24rem; overflow: auto; background: var(--paper);
  border-radius: .375rem; font: .8125rem/1.5 var(--mono); white-space: pre-wrap;
}
table { width: 100%; margin-top: .5rem; border-collapse: collapse; font-size: .875rem; }
th, td { padding: .25rem 0; text-align: right; font-variant-numeric: tabular-nums; border-top: 1px solid var(--line); }
thead th { border: 0; color: var(--faint); font-weight: 400; }
th:first-child { text-align: left; font-weight: 400; }
td, thead th + th { padding-left: .75rem; }
#no-events { margin: .5rem 0 0; color: var(--faint); font-size: .875rem; }
#events li { display: grid; padding: .5rem 0; border-top: 1px solid var(--line); font-size: .875rem; overflow-wrap: anywhere; }
#events { margin-top: .5rem; max-height: 21rem; overflow-y: auto; }
#events time { color: var(--faint); font-size: .8125rem; }
.notice { padding: 0 1.25rem; }
@media (max-width: 60rem) { main { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 40rem) {
  main { padding: .75rem; gap: .75rem; }
  header { padding: .75rem; }
  form { margin-left: 0; width: 100%; }
  form label:first-child, input { width: 100%; }
  summary { grid-template-columns: 3.75rem minmax(0, 1fr) auto; }
  .scope { display: none; }
  .target { grid-column: 1 / -1; grid-row: 2; }
  .status { grid-column: 3; grid-row: 1; }
  .time { grid-column: 2; grid-row: 1; text-align: left; }
  .fault { grid-column: 1 / -1; }
  dl { grid-template-columns: minmax(0, 1fr); }
}
`;

const script = String.raw`
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
