import { describe, expect, test } from 'vitest';
import {
  parseApiPrefix,
  parseBaseUrl,
  parsePageUrl,
  parseRedirectUri,
} from '../../src/account/settings/parse-urls.ts';

describe('parseBaseUrl', () => {
  test.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['https://api.example.com//', 'https://api.example.com'],
    [' https://API.example.com:443/shop/ ', 'https://api.example.com/shop'],
    ['http://localhost:8080/', 'http://localhost:8080'],
    ['http://127.0.0.1:1', 'http://127.0.0.1:1'],
    ['http://127.1.2.3', 'http://127.1.2.3'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('%s: returns %s', (text, url) => {
    expect(parseBaseUrl(text)).toBe(url);
    expect(parseBaseUrl(url)).toBe(url);
  });

  test.each([
    ['api.example.com', 'Did you mean https://api.example.com?'],
    ['api.example.com:8080/v5', 'Did you mean https://api.example.com:8080/v5?'],
    ['localhost:8080', 'Did you mean http://localhost:8080?'],
    ['//api.example.com', 'Did you mean https://api.example.com?'],
    ['ftp://api.example.com', 'must begin with https://'],
    ['http://api.example.com', 'use https://api.example.com'],
    ['http://localhost.example.com', 'http is only allowed'],
    ['http://127.0.0.1.example.com', 'http is only allowed'],
    ['http://0.0.0.0', 'http is only allowed'],
    ['http://192.168.0.1', 'http is only allowed'],
    ['https://api.example.com/?page=1', 'try https://api.example.com'],
    ['https://api.example.com/v5#top', 'try https://api.example.com/v5'],
    ['https://', 'valid URL'],
    ['', 'Expected a URL'],
    [undefined, 'Expected a URL'],
  ])('%s: is refused with %s', (text, message) => {
    expect(() => parseBaseUrl(text)).toThrow(
      expect.objectContaining({ category: 'usage', message: expect.stringContaining(message) }),
    );
  });

  test.each(['https://me:CANARY@api.example.com', 'me:CANARY@api.example.com'])(
    '%s: is refused because of the password, which the message does not contain',
    (text) => {
      expect(() => parseBaseUrl(text)).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('CANARY') }),
      );
    },
  );
});

test('parsePageUrl: accepts a query, and refuses a fragment', () => {
  expect(parsePageUrl('https://console.example.com/authorize?lang=ar')).toBe(
    'https://console.example.com/authorize?lang=ar',
  );
  expect(() => parsePageUrl('https://console.example.com/#x')).toThrow('#');
});

test('parseRedirectUri: returns the URI unchanged', () => {
  expect(parseRedirectUri('http://LOCALHOST:80')).toBe('http://LOCALHOST:80');
});

describe('parseApiPrefix', () => {
  test.each([
    ['', ''],
    ['/', ''],
    ['v5', '/v5'],
    ['/v5/', '/v5'],
    ['//api//v5', '/api/v5'],
  ])('%j: returns %j', (text, prefix) => {
    expect(parseApiPrefix(text)).toBe(prefix);
  });

  test.each(['..', '/api/../x', 'a b', '/v5?x=1', '/v5#x', '%2e%2e', 'https://x', 5])(
    '%j: is refused',
    (text) => {
      expect(() => parseApiPrefix(text)).toThrow(expect.objectContaining({ category: 'usage' }));
    },
  );
});
