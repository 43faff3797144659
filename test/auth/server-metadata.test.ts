/** The URLs that a service publishes (RFC 8414) are used only if they belong to it and are safe. */
import { expect, test } from 'vitest';
import { metadataUrl, parseServerMetadata } from '../../src/account/auth/server-metadata.ts';

const baseUrl = 'https://api.example.com';
const authorizeUrl = 'https://console.example.com/authorize';
const tokenUrl = 'https://api.example.com/token';
const document = { issuer: baseUrl, authorization_endpoint: authorizeUrl, token_endpoint: tokenUrl };
const parse = (changes: object, url = baseUrl) =>
  parseServerMetadata(JSON.stringify({ ...document, ...changes }), url);

test('metadata of the service: returns both URLs', () => {
  expect(parse({})).toEqual({ authorizeUrl, tokenUrl });
  expect(parse({ issuer: `${baseUrl}/` })).toEqual({ authorizeUrl, tokenUrl });
});

test.each(['https://evil.example', 'http://api.example.com', `${baseUrl}/other`, undefined, 7])(
  'metadata of the issuer %j: is ignored',
  (issuer) => {
    expect(parse({ issuer })).toEqual({});
  },
);

test.each([
  'http://console.example.com/authorize',
  'javascript:alert(1)',
  'https://me:secret@console.example.com/',
  'https://console.example.com/#x',
  'not a URL',
  ['https://console.example.com'],
  null,
])('an authorization URL %j: is ignored', (url) => {
  expect(parse({ authorization_endpoint: url })).toEqual({ tokenUrl });
});

test('plain http: is accepted only at the service itself, on this machine', () => {
  const local = 'http://127.0.0.1:4010';
  const changes = { issuer: local, authorization_endpoint: `${local}/authorize` };
  expect(parse({ ...changes, token_endpoint: 'http://127.0.0.1:4011/token' }, local)).toEqual({
    authorizeUrl: `${local}/authorize`,
  });
});

test.each(['', '[]', 'null', '<html>', '"x"', '{"issuer":'])('the text %j: contains no URLs', (text) => {
  expect(parseServerMetadata(text, baseUrl)).toEqual({});
});

test('the URL of the metadata: has the path of the service at its end', () => {
  expect(metadataUrl(baseUrl).href).toBe(`${baseUrl}/.well-known/oauth-authorization-server`);
  expect(metadataUrl(`${baseUrl}/shop`).href).toBe(`${baseUrl}/.well-known/oauth-authorization-server/shop`);
});
