/**
 * A file that leads a browser to the authorization page. A browser is started with what it is to open as an argument,
 * which everyone on the machine can read: so that is this file's name, and the address, with the state in it, stands
 * in the file, which only its owner can read.
 */
import { escaped } from './callback-page.ts';

/** The text of the file; browsers that follow no refresh show a link. */
export function redirectPage(address: string): string {
  const url = escaped(address.replaceAll("'", '%27'));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url='${url}'">
<title>boh</title>
</head>
<body>
<p><a href="${url}">Go on to the page on which you approve boh</a></p>
</body>
</html>
`;
}
