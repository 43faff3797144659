/** Builds the pages of the authorization: the consent page and the error page. They have no scripts. */
import { html, raw } from 'hono/html';
import { palette } from '../../base/palette.ts';
import { type Scope, scopes as scopeDescriptions } from '../../contract/scope.ts';
import { type HtmlPage, htmlPage } from '../server/page.ts';

/** The data of the consent page. */
export interface ConsentDetails {
  /** The ID of the pending request, which the form sends back. */
  consentId: string;
  clientName: string;
  businessName: string;
  userName: string;
  scopes: readonly Scope[];
  redirectUri: string;
}

/** Returns the page that asks the user to approve. */
export function consentPage(details: ConsentDetails): HtmlPage {
  const { consentId, clientName, businessName, userName, scopes, redirectUri } = details;
  const { host, origin, protocol } = new URL(redirectUri);
  return page(
    `Connect ${clientName} to ${businessName}`,
    // Browsers also apply this policy to the redirect after the form, which may lead to any port of this machine.
    `form-action 'self' ${protocol === 'https:' ? origin : 'http:'}`,
    html`
      <h1><strong>${clientName}</strong> requests access to <strong>${businessName}</strong></h1>
      <p>You are signed in as <strong>${userName}</strong>. If you approve, the application may:</p>
      <ul>${scopes.map((scope) => html`<li>${scopeDescriptions[scope]}<code>${scope}</code></li>`)}</ul>
      <form method="post" action="/authorize">
        <input type="hidden" name="consent" value="${consentId}">
        <p>Either way, you are then redirected to <strong>${host}</strong>.</p>
        <div class="buttons">
          <button name="decision" value="approve">Approve</button>
          <button name="decision" value="deny" class="secondary">Deny</button>
        </div>
      </form>`,
  );
}

export function errorPage(title: string, reason: string): HtmlPage {
  return page(
    title,
    "form-action 'none'",
    html`
      <h1>${title}</h1>
      <p>${reason}</p>
      <p>Nothing was approved. You can close this page.</p>`,
  );
}

function page(title: string, formPolicy: string, content: ReturnType<typeof html>): HtmlPage {
  return htmlPage({
    title,
    style,
    policy: [formPolicy],
    body: html`<header><p>${raw(logo)} sandbox <span>test data on this machine</span></p></header>
      <main>${content}</main>`,
  });
}

/** The name of the project, in bold. */
const logo = '<b>boh</b>';

/** The styles of these pages: one column that fits a phone, light or dark by the system's setting. */
const style = `
:root {
  color-scheme: light dark;
${palette}
  --on-accent: light-dark(#ffffff, #10231c);
  font: 1.0625rem/1.5 system-ui, sans-serif;
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100dvh; background: var(--paper); color: var(--ink); overflow-wrap: anywhere; }
header, main { max-width: 34rem; margin: 0 auto; padding: 0 1rem; }
header p { margin: 0; padding: 1.25rem 0 .75rem; color: var(--faint); font-size: .9375rem; }
header b { color: var(--ink); letter-spacing: .02em; }
header span::before { content: "· "; }
main {
  padding: 1.75rem 1.5rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .75rem; margin-bottom: 2rem;
}
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; font-weight: 500; text-wrap: balance; }
h1 strong { font-weight: 700; }
p { margin: 0 0 1rem; }
ul { margin: 0; padding: 0; list-style: none; border-top: 1px solid var(--line); }
li { padding: .625rem 0; border-bottom: 1px solid var(--line); }
li:last-child { border-bottom: 0; }
code { display: block; color: var(--faint); font: .8125rem/1.4 ui-monospace, monospace; }
/* Stays visible below a long list of scopes. */
form {
  position: sticky; bottom: 0; margin: 0 -1.5rem -1.75rem; padding: .75rem 1.5rem 1.25rem;
  background: var(--card); border-top: 1px solid var(--line); border-radius: 0 0 .75rem .75rem;
}
form p { margin-bottom: .75rem; color: var(--faint); font-size: .9375rem; }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; }
button {
  flex: 1 1 10rem; min-height: 3rem; padding: .5rem 1rem; border: 1px solid var(--accent); border-radius: .5rem;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer;
}
button.secondary { background: transparent; color: var(--ink); border-color: var(--faint); }
button:hover { filter: brightness(1.08); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
@media (max-width: 36rem) {
  main { border-radius: 0; border-width: 1px 0; padding: 1.25rem 1rem; margin-bottom: 0; }
  form { margin: 0 -1rem -1.25rem; padding: .75rem 1rem 1rem; border-radius: 0; }
}
`;
