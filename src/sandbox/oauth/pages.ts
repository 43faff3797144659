/** The pages of the authorization: a question with two buttons, or what is wrong. Plain forms, no scripts. */
import { html, raw } from 'hono/html';
import { type Scope, scopes as scopeWords } from '../../contract/scope.ts';
import { type Page, pageOf } from '../server/page.ts';
import { style } from './page-style.ts';

export interface ConsentDetails {
  /** Goes back with the answer; see `consents.ts`. */
  number: string;
  clientName: string;
  businessName: string;
  userName: string;
  scopes: readonly Scope[];
  redirectUri: string;
}

export function consentPage(details: ConsentDetails): Page {
  const { number, clientName, businessName, userName, scopes, redirectUri } = details;
  const { host } = new URL(redirectUri);
  return page(
    `Connect ${clientName} to ${businessName}`,
    html`
      <h1><strong>${clientName}</strong> asks for access to <strong>${businessName}</strong></h1>
      <p>You are signed in as <strong>${userName}</strong>. If you approve, the application may:</p>
      <ul>${scopes.map((scope) => html`<li>${scopeWords[scope]}<code>${scope}</code></li>`)}</ul>
      <form method="post" action="/authorize">
        <input type="hidden" name="consent" value="${number}">
        <p>Either way you go back to <strong>${host}</strong>.</p>
        <div class="answers">
          <button name="decision" value="approve">Approve</button>
          <button name="decision" value="deny" class="quiet">Deny</button>
        </div>
      </form>`,
  );
}

export function problemPage(title: string, reason: string): Page {
  return page(
    title,
    html`
      <h1>${title}</h1>
      <p>${reason}</p>
      <p>Nothing was approved. You can close this page.</p>`,
  );
}

function page(title: string, content: ReturnType<typeof html>): Page {
  return pageOf({
    title,
    style,
    // Browsers hold the redirect that answers a form against this too: it leads to any port of this machine.
    policy: ['form-action http:'],
    body: html`<header><p>${raw(mark)} sandbox <span>made-up data, on this machine</span></p></header>
      <main>${content}</main>`,
  });
}

/** The name of the project as a small sign. */
const mark = '<b>boh</b>';
