/** The pages that the browser shows during sign-in. They are self-contained and have no scripts. */
import { createHash } from 'node:crypto';
import { palette } from '../base/palette.ts';

const style = `
:root {
  color-scheme: light dark;
${palette}
  font: 1.0625rem/1.5 system-ui, sans-serif;
}
body {
  margin: 0; min-height: 100dvh; display: grid; place-items: center;
  background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
}
main {
  box-sizing: border-box; width: min(34rem, 100%); padding: 1.75rem 1.5rem .75rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .75rem;
}
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; font-weight: 700; text-wrap: balance; }
p { margin: 0 0 1rem; }
footer { color: var(--faint); font-size: .9375rem; border-top: 1px solid var(--line); padding: .75rem 0 0; }
footer b { color: var(--ink); letter-spacing: .02em; }
@media (max-width: 36rem) { main { border-radius: 0; border-width: 1px 0; padding: 1.25rem 1rem .75rem; } }
`;

/** The content security policy: allows no loading and no scripts, and only the style sheet with this hash. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  // The empty icon keeps the browser from requesting one.
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The headers of the page. Its URL contains a code, so it must not be cached, sent as a referrer or framed. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  connection: 'close',
};

/** Returns the page after the redirect. The title and the paragraphs may contain text from the service, so they are escaped. */
export function callbackPage(title: string, ...paragraphs: string[]): string {
  const body = paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – boh</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
<footer><p><b>boh</b> · sign-in on this machine</p></footer>
</main>
</body>
</html>
`;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML. */
function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}
