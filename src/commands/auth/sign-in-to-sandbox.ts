/** Signing in to a sandbox: the very same flow, with the sandbox served on this machine for as long as it takes. */
import { withPort } from '../../auth/loopback-listener.ts';
import type { Context } from '../../interaction/context.ts';
import type { Way } from '../../interaction/sign-in/approval.ts';
import { signIn } from '../../interaction/sign-in/sign-in.ts';
import { Secret } from '../../settings/secret.ts';
import type { Settings } from '../../settings/settings.ts';
import { startServing } from '../sandbox/serving.ts';

export async function signInToSandbox(settings: Settings, way: Way, context: Context): Promise<Secret> {
  const { sandbox: name = 'default', apiPrefix, redirectUri, scopes, source, timeoutMs } = settings;
  const [{ openSandbox }, { sandboxFile }, { demoClient }] = await Promise.all([
    import('../../sandbox/service.ts'),
    import('../../sandbox/store/place.ts'),
    import('../../sandbox/oauth/clients.ts'),
  ]);
  const { api, env, signal } = context;
  const sandbox = await openSandbox({ api, file: sandboxFile(env, name), apiPrefix, signal });
  try {
    const served = await startServing(sandbox, { port: 0, apiPrefix, isApproving: false }, context);
    const app = {
      authorizeUrl: `${served.baseUrl}/authorize`,
      tokenUrl: `${served.baseUrl}/oauth/token`,
      clientId: demoClient.id,
      clientSecret: new Secret(demoClient.secret),
      // A sandbox takes any port of this machine, so it needn't be one that is taken.
      redirectUri: source.redirect_uri === 'default' && way.browser ? withPort(redirectUri, 0) : redirectUri,
      scopes,
      oauth: { body: 'json', clientAuth: 'body', pkce: true } as const,
      timeoutMs,
    };
    try {
      return await signIn(app, way, context);
    } finally {
      await served.close();
    }
  } finally {
    sandbox.close();
  }
}
