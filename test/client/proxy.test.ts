import { describe, expect, test } from 'vitest';
import { proxyFor } from '../../src/account/client/proxy-setting.ts';
import type { Environment } from '../../src/base/environment.ts';
import { Failure } from '../../src/base/errors.ts';
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

  test('is ALL_PROXY without a more specific variable', () => {
    expect(proxyOf(service, { ALL_PROXY: proxy })).toBe(`${proxy}/`);
    expect(proxyOf(service, { all_proxy: 'http://a:1', ALL_PROXY: proxy })).toBe('http://a:1/');
    expect(proxyOf(service, { HTTPS_PROXY: 'http://a:1', all_proxy: proxy })).toBe('http://a:1/');
    expect(proxyOf(service, { https_proxy: '', ALL_PROXY: proxy })).toBeUndefined();
  });

  test.each([
    'http://127.0.0.1:8080',
    'https://127.255.0.9:8443',
    'https://localhost',
    'https://localhost.',
    'https://api.localhost:8443',
    'https://[::1]:8443',
    'https://[::ffff:127.0.0.1]',
    'https://[::ffff:7f12:1]',
    'https://127.1',
    'https://0x7f000001',
  ])('for %s: is never used, whatever the variables contain', (url) => {
    for (const text of [proxy, 'ftp://x', 'http://x/path'])
      expect(proxyOf(url, { HTTP_PROXY: text, HTTPS_PROXY: text, ALL_PROXY: text })).toBeUndefined();
  });

  test.each([
    'https://localhost.example.com',
    'https://notlocalhost',
    'https://[::ffff:1.2.3.4]',
    'https://128.0.0.1',
  ])('for %s: is used, because it is another machine', (url) =>
    expect(proxyOf(url, { HTTPS_PROXY: proxy })).toBe(`${proxy}/`),
  );

  test.each(['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'])(
    '%s with an invalid URL: is named',
    (name) => expect(() => proxyOf(service, { [name]: 'ftp://x' })).toThrow(`Invalid proxy URL in ${name}.`),
  );

  test.each([
    'http://',
    'http://[',
    'socks5://canary:canary@proxy:1080',
    'ftp://proxy',
    '://',
    'http://canary@:99999',
    'a b',
    'http://proxy:1/path',
    'http://proxy:1//',
    'http://proxy:1?canary',
    'http://proxy:1#canary',
    'http://proxy:1?',
    'http://proxy:1#',
    'http://me:canary%@proxy:1',
    'http://me:canary%zz@proxy:1',
    'http://me:canary%ff@proxy:1',
    'http://c%anary:x@proxy:1',
    'http://me:can@ary@proxy:1',
    'http://me:1/canary@proxy:1',
    'http://me:1#canary@proxy:1',
    'http://me:1\\canary@proxy:1',
    'http://proxy:1\\',
    'pro\txy:1',
    'me:1/canary@proxy:1',
  ])("%s: is refused, and the message doesn't contain its password", (text) => {
    const readProxy = () => proxyOf(service, { HTTPS_PROXY: text });
    expect(readProxy).toThrow(Failure);
    expect(readProxy).toThrow('Invalid proxy URL in HTTPS_PROXY.');
    expect(readProxy).not.toThrow(/canary/);
  });

  test('may have percent-encoded characters in its password', () => {
    const text = 'http://me%40here:p%40%2F%25%C3%A9@proxy:8080';
    expect(proxyOf(service, { HTTPS_PROXY: text })).toBe(`${text}/`);
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
    ['10.1.2.3', 'https://10.1.2.3:8443'],
    ['fd00::1', 'https://[fd00::1]:8443'],
    ['[fd00::1]', 'https://[fd00::1]:8443'],
    ['[fd00::1]:8443', 'https://[fd00::1]:8443'],
    ['fd00:0:0:0::1', 'https://[fd00::1]'],
    ['10.0.0.0/8', 'https://10.1.2.3'],
    ['10.9.9.9/8', 'https://10.1.2.3'],
    ['10.0.0.0/8:443', 'https://10.1.2.3'],
    ['0.0.0.0/0', 'https://10.1.2.3'],
    ['10.0.0.0/8', 'https://[::ffff:10.1.2.3]'],
    ['fd00::/8', 'https://[fd12::1]'],
    ['[fd00::]/8', 'https://[fd12::1]'],
    ['[fd00::]/8:8443', 'https://[fd12::1]:8443'],
    ['10.*', 'https://10.1.2.3'],
    ['10.1.*.3', 'https://10.1.2.3'],
    ['api.*.com', service],
    ['*:443', service],
    ['..example.com', service],
    ['.example.com:443', service],
    ['b\u00FCcher.example', 'https://b\u00FCcher.example'],
    ['10.0.0.0/99 example.com', service],
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
    ['[fd00::1]:1', 'https://[fd00::1]:8443'],
    ['10.0.0.0/8', 'https://11.0.0.1'],
    ['10.0.0.0/8', service],
    ['10.0.0.0/99', 'https://10.0.0.1'],
    ['10.0.0.0/', 'https://10.0.0.1'],
    ['10.0.0.0/x', 'https://10.0.0.1'],
    ['10.0.0.0/-1', 'https://10.0.0.1'],
    ['fd00::/8', 'https://[fe00::1]'],
    ['fd00::/8', 'https://10.0.0.1'],
    ['0.0.0.0/0', 'https://[fd00::1]'],
    ['10.*', 'https://110.1.2.3'],
    ['*:8443', service],
    ['a+i.example.com', service],
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
