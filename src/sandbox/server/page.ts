/** Builds the sandbox's HTML pages: self-contained documents, whose headers forbid all other content. */
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';

type EscapedHtml = ReturnType<typeof html>;

export interface HtmlPage {
  body: EscapedHtml;
  headers: Record<string, string>;
}

interface HtmlPageParts {
  title: string;
  style: string;
  script?: string;
  /** Additional parts of the content security policy; the page's own style and script are always allowed. */
  policy?: readonly string[];
  body: EscapedHtml;
}

/** Returns a page. Its policy allows its style and script by their hashes, so that injected scripts can't run. */
export function htmlPage({ title, style, script, policy = [], body }: HtmlPageParts): HtmlPage {
  const contentSecurityPolicy = [
    "default-src 'none'",
    'img-src data:',
    `style-src ${hashOf(style)}`,
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`]),
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...policy,
  ];
  return {
    body: html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${icon}">
<style>${raw(style)}</style>
</head>
<body>
${body}
${script === undefined ? '' : html`<script type="module">${raw(script)}</script>`}
</body>
</html>
`,
    headers: {
      'cache-control': 'no-store',
      'content-security-policy': contentSecurityPolicy.join('; '),
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  };
}

/** The icon of the pages: a food cover. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#0b8a63">' +
    '<path d="M2 11a6 6 0 0 1 12 0z"/><path d="M1 12h14v2H1z"/></svg>',
)}`;

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
