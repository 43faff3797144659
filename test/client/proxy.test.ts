import { describe, expect, test } from 'vitest';
import type { Environment } from '../../src/base/environment.ts';
import { Failure } from '../../src/base/errors.ts';
import { proxyFor } from '../../src/client/network.ts';
import { fc } from '../harness/fast-check.ts';

const proxyOf = (service: string, env: Environment) => proxyFor(new URL(service), env)?.url.href;
const service = 'https://api.example.com';
const proxy = 'http://proxy.example:8080';

describe('a proxy', () => {
  test('for https: is HTTPS_PROXY; the lower-case name takes precedence, even if empty', () => {
    expect(proxyOf(service, { HTTPS_PROXY: proxy })).toBe(`${proxy}/`);
    expect(proxyOf(service, { https_proxy: 'http://a:1', HTTPS_PROXY: proxy })).toBe('http://a:1/');
    expect(proxyOf(service, { https_proxy: '', HTTPS_PROXY: proxy })).toBeUndefined();
    expect(proxyOf(service, {})).toBeUndefined();
  });

  test('for https: is never HTTP_PROXY', () => {
    expect(proxyOf(service, { HTTP_PROXY: proxy, http_proxy: proxy })).toBeUndefined();
  });

  test('may have no scheme, and may have a user name and a password', () => {
    expect(proxyOf(service, { HTTPS_PROXY: 'proxy.example:8080' })).toBe(`${proxy}/`);
    expect(proxyOf(service, { HTTPS_PROXY: ' https://me:secret@proxy.example ' })).toBe(
      'https://me:secret@proxy.example/',
    );
  });

  test('for plain http: is only used on this machine, because others could read the token', () => {
    expect(proxyOf('http://127.0.0.1:8080', { HTTP_PROXY: 'http://localhost:3128' })).toBe(
      'http://localhost:3128/',
    );
    expect(proxyOf('http://127.0.0.1:8080', { HTTP_PROXY: proxy })).toBeUndefined();
  });

  test.each([
    'http://',
    'http://[',
    'socks5://canary:canary@proxy:1080',
    'ftp://proxy',
    '://',
    'http://canary@:99999',
    'a b',
  ])("%s: is refused, and the message doesn't contain its password", (text) => {
    const readProxy = () => proxyOf(service, { HTTPS_PROXY: text });
    expect(readProxy).toThrow(Failure);
    expect(readProxy).toThrow('Invalid proxy URL in HTTPS_PROXY.');
    expect(readProxy).not.toThrow(/canary/);
  });

  test('any text: is a URL or a failure', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl()), fc.string(), (text, list) => {
        try {
          proxyOf(service, { HTTPS_PROXY: text, NO_PROXY: list });
        } catch (error) {
          expect(error).toBeInstanceOf(Failure);
        }
      }),
    );
  });
});

describe('NO_PROXY', () => {
  test.each([
    ['*', service],
    ['api.example.com', service],
    ['API.Example.COM.', service],
    ['example.com', service],
    ['.example.com', service],
    ['*.example.com', service],
    ['other.example,example.com', service],
    ['other.example example.com', service],
    ['api.example.com:443', service],
    ['api.example.com:8443', 'https://api.example.com:8443'],
    ['127.0.0.1', 'https://127.0.0.1:8443'],
    ['::1', 'https://[::1]:8443'],
    ['[::1]', 'https://[::1]:8443'],
    ['[::1]:8443', 'https://[::1]:8443'],
  ])('"%s" includes %s', (list, url) => {
    expect(proxyOf(url, { HTTPS_PROXY: proxy, NO_PROXY: list })).toBeUndefined();
  });

  test.each([
    ['', service],
    [' , ', service],
    ['ample.com', service],
    ['api.example.com:8443', service],
    ['other.example.com', service],
    ['com.example', service],
    ['.', service],
    ['[::1]:1', 'https://[::1]:8443'],
  ])('"%s" excludes %s', (list, url) => {
    expect(proxyOf(url, { HTTPS_PROXY: proxy, NO_PROXY: list })).toBe(`${proxy}/`);
  });

  test('no_proxy takes precedence', () => {
    expect(proxyOf(service, { HTTPS_PROXY: proxy, no_proxy: '', NO_PROXY: '*' })).toBe(`${proxy}/`);
  });

  test('for a listed host: an invalid proxy URL is ignored', () => {
    expect(proxyOf(service, { HTTPS_PROXY: 'ftp://x', NO_PROXY: '*' })).toBeUndefined();
  });
});
