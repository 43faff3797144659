/** Sends someone to the page on which boh is approved, and waits for the code that comes back. */
import { type AuthorizeRequest, authorizeAddress, newState } from '../../auth/authorize-address.ts';
import { canListen, listenForCode } from '../../auth/loopback-listener.ts';
import { usage } from '../../errors.ts';
import { note, tell } from '../../terminal/messages.ts';
import type { Context } from '../context.ts';
import { openBrowser } from './open-browser.ts';
import { readPastedCode } from './read-pasted-code.ts';

export interface Way {
  /** False where the browser runs on another machine. */
  browser: boolean;
  allowMissingState?: boolean | undefined;
}

export interface Approval {
  code: string;
  /** As it stood in the address of the page: the exchange repeats it. */
  redirectUri: string;
}

type Request = Omit<AuthorizeRequest, 'state'>;

/** Throws `not_signed_in` for a denial or an answer that isn't ours, `interrupted` after Ctrl-C. */
export function askForApproval(request: Request, way: Way, context: Context): Promise<Approval> {
  const isHere = way.browser && canListen(request.redirectUri);
  return isHere ? throughListener(request, way, context) : throughPaste(request, way, context);
}

async function throughListener(
  request: Request,
  { allowMissingState = false }: Way,
  context: Context,
): Promise<Approval> {
  const { streams, signal } = context;
  const state = newState();
  const { redirectUri } = request;
  const listener = await listenForCode({ redirectUri, state, allowMissingState, signal });
  let tidyUp: (() => Promise<void>) | undefined;
  try {
    const address = authorizeAddress({ ...request, state, redirectUri: listener.redirectUri });
    tell(streams, 'To approve boh, open this page if your browser does not do so by itself:');
    tell(streams, address);
    tidyUp = await openBrowser(address, () => {
      note(streams, 'The browser did not start: open the address above yourself.');
    });
    note(streams, 'Waiting for your answer there. Ctrl-C ends this.');
    return { code: await listener.code, redirectUri: listener.redirectUri };
  } finally {
    await listener.close();
    await tidyUp?.();
  }
}

async function throughPaste(
  request: Request,
  { allowMissingState = false }: Way,
  context: Context,
): Promise<Approval> {
  const { redirectUri } = request;
  if (new URL(redirectUri).port === '0') {
    throw usage('An address that is pasted needs a fixed port.', { hint: 'Name it: --port 8714.' });
  }
  const state = newState();
  for (const line of [
    'To approve boh, open this page in a browser:',
    authorizeAddress({ ...request, state }),
    'Then copy the address that the browser ends up on, even if that page shows an error.',
  ]) {
    tell(context.streams, line);
  }
  return { code: await readPastedCode({ state, allowMissingState, redirectUri }, context), redirectUri };
}
