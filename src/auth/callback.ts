/** What the redirect brings back from the authorization page: a code, a denial, or something that isn't ours. */
import { Failure } from '../base/errors.ts';
import { sameState } from './authorize-address.ts';
import { sentence } from './excerpt.ts';

export interface Expected {
  /** The state that went out with the question. */
  state: string;
  /** Accept an answer without a state, as comes from a service's own app store. One with a wrong state never is. */
  allowMissingState?: boolean;
}

const lost = 'Sign in again with `boh auth login`.';

/**
 * The code of an answer. The state is checked before anything else is believed, a denial included.
 * Throws `not_signed_in`.
 */
export function codeFrom(query: URLSearchParams, expected: Expected): string {
  checkState(query, expected);
  const error = query.get('error');
  if (error === 'access_denied') {
    throw new Failure('not_signed_in', 'The request was denied on the page; nothing was connected.', {
      hint: lost,
    });
  }
  if (error !== null) {
    const description = query.get('error_description');
    const said = sentence(description ? `${error}: ${description}` : error, [expected.state]);
    throw new Failure('not_signed_in', `The service answered with an error instead of a code: ${said}`, {
      hint: lost,
    });
  }
  const codes = query.getAll('code');
  const [code = ''] = codes;
  if (codes.length !== 1 || !isCode(code)) {
    throw new Failure('not_signed_in', 'The answer of the service holds no code that can be used.', {
      hint: lost,
    });
  }
  return code;
}

/** The characters that OAuth 2.0 allows in a code, and a length that fits in an address. */
export function isCode(text: string): boolean {
  return /^[\x21-\x7e]{1,4096}$/.test(text);
}

function checkState(query: URLSearchParams, { state, allowMissingState = false }: Expected): void {
  const states = query.getAll('state');
  const [received = ''] = states;
  if (received === '') {
    if (allowMissingState) return;
    throw new Failure(
      'not_signed_in',
      'The answer came without the state that boh sent along, so it is not trusted.',
      {
        hint: 'If you started from the app store of the service, sign in again with --allow-missing-state.',
      },
    );
  }
  if (states.length !== 1 || !sameState(state, received)) {
    throw new Failure(
      'not_signed_in',
      'The answer belongs to another sign-in than this one, so it is not trusted.',
      {
        hint: `Close other pages of the service. ${lost}`,
      },
    );
  }
}
