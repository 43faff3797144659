/**
 * The body of `POST /oauth/token`: JSON, as the document has it ("Authentication", 3). Unless the sandbox is strict,
 * also a form, and the client as HTTP Basic, which is how OAuth 2.0 has it and other people's programs send it.
 */
import { readJsonBody } from '../http/json-body.ts';

export interface TokenRequest {
  contentType: string;
  authorization: string;
  body: Uint8Array | string;
}

export interface ReadTokenRequest {
  grant_type: string;
  code: string;
  client_id: string;
  client_secret: string;
  redirect_uri: string;
  /** Of PKCE. */
  code_verifier?: string | undefined;
}

/** A request that can't be read; the message goes to whoever sent it. */
export class UnreadableRequest extends Error {}

const fields = ['grant_type', 'code', 'client_id', 'client_secret', 'redirect_uri'] as const;

/** Other fields are passed over, as OAuth asks for. Throws `UnreadableRequest`, or a refusal of the JSON. */
export function readTokenRequest(request: TokenRequest, isStrict: boolean): ReadTokenRequest {
  const client = isStrict ? undefined : basicClient(request.authorization);
  const sent = fieldsOf(request, isStrict);
  if (
    client &&
    (sent.client_secret !== undefined || (sent.client_id ?? client.client_id) !== client.client_id)
  ) {
    throw new UnreadableRequest('The client shows itself twice: by HTTP Basic, and in the body.');
  }
  const body: Record<string, unknown> = { ...sent, ...client };
  const missing = fields.filter((name) => body[name] === undefined || body[name] === '');
  if (missing.length > 0) throw new UnreadableRequest(`The body lacks ${missing.join(', ')}.`);
  const names = [...fields, ...(isStrict || body.code_verifier === undefined ? [] : ['code_verifier'])];
  const wrong = names.filter((name) => typeof body[name] !== 'string');
  if (wrong.length > 0) throw new UnreadableRequest(`Not text: ${wrong.join(', ')}.`);
  return Object.fromEntries(names.map((name) => [name, body[name]])) as unknown as ReadTokenRequest;
}

function fieldsOf({ contentType, body }: TokenRequest, isStrict: boolean): Record<string, unknown> {
  if (/^application\/json\b/i.test(contentType)) return readJsonBody(body);
  if (isStrict) {
    throw new UnreadableRequest('The body must be JSON, with content-type: application/json.');
  }
  if (!/^application\/x-www-form-urlencoded\b/i.test(contentType)) {
    throw new UnreadableRequest(
      'The body must be JSON, with content-type: application/json, or application/x-www-form-urlencoded.',
    );
  }
  const form = new URLSearchParams(typeof body === 'string' ? body : new TextDecoder().decode(body));
  const repeated = [...new Set(form.keys())].filter((name) => form.getAll(name).length > 1);
  if (repeated.length > 0)
    throw new UnreadableRequest(`The body has more than once: ${repeated.join(', ')}.`);
  return Object.fromEntries(form);
}

/** RFC 6749, 2.3.1: both halves are encoded as in a form. */
function basicClient(
  authorization: string,
): Pick<ReadTokenRequest, 'client_id' | 'client_secret'> | undefined {
  const [, encoded] = /^Basic +([\w+/=-]+)$/i.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return { client_id: decoded(id), client_secret: decoded(secret.join(':')) };
}

function decoded(text: string): string {
  return new URLSearchParams(`=${text.replaceAll('&', '%26')}`).get('') ?? '';
}
