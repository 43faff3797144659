/** The inspector's page: one document that fills itself from the stream. */
import { html } from 'hono/html';
import { type Page, pageOf } from '../server/page.ts';
import { script } from './script.ts';
import { style } from './style.ts';

/** Always the same, so it is made once. */
let made: Page | undefined;

export function inspectorPage(): Page {
  made ??= pageOf({ title: 'boh sandbox', style, script, policy: ["connect-src 'self'"], body });
  return made;
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
        <label>Find <input id="words" type="search" placeholder="path, scope, text in a body" autocomplete="off"></label>
        <label>Method
          <select id="method">
            <option value="">all</option><option>GET</option><option>POST</option><option>PUT</option><option>DELETE</option>
          </select>
        </label>
        <label>Status
          <select id="status">
            <option value="">all</option><option value="2">2xx</option><option value="4">4xx</option>
            <option value="5">5xx</option><option value="0">no answer</option>
          </select>
        </label>
        <button id="pause" type="button" aria-pressed="false">Pause</button>
        <button id="clear" type="button">Clear</button>
      </form>
    </div>
    <p id="shown" role="status"></p>
    <p id="none">Nothing has been asked yet. Send a request to this address, and it appears here.</p>
    <ol id="requests" reversed></ol>
  </section>
  <aside>
    <section aria-labelledby="events-title">
      <h2 id="events-title">Events</h2>
      <p id="no-events">None yet.</p>
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
<noscript><p class="notice">This page shows requests as they arrive, which needs JavaScript.</p></noscript>
`;
