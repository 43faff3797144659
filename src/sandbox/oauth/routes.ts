/** What people and programs see of a served sandbox's OAuth server: `/authorize`, and where everything is. */
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Page } from '../server/page.ts';
import type { Sandbox } from '../service.ts';
import { isObject, readFact } from '../store/facts.ts';
import { approvedAddress, deniedAddress, judge } from './authorize.ts';
import { demoClient } from './clients.ts';
import { type Approval, makeCode } from './codes.ts';
import { Consents, type Question } from './consents.ts';
import { metadataPath, serverMetadata } from './metadata.ts';
import { consentPage, problemPage } from './pages.ts';

export interface OAuthOptions {
  /** Approve whatever is asked without showing the page, for runs without a person. */
  isApproving?: boolean;
  /** The document alone: no PKCE, no metadata. */
  isStrict?: boolean;
}

/** In bytes: the answer is two short fields. */
const longestForm = 4096;

/** Where a person approves. The exchange of codes is answered beside the API, see `exchange.ts`. */
export function authorizeRoutes(
  sandbox: Sandbox,
  { isApproving = false, isStrict = false }: OAuthOptions = {},
): Hono {
  const consents = new Consents();
  const app = new Hono();

  if (!isStrict) {
    app.get(metadataPath, (context) => context.json(serverMetadata(new URL(context.req.url).origin)));
  }

  app.get('/authorize', async (context) => {
    const judged = judge(new URL(context.req.url).searchParams, isStrict);
    if (judged.kind === 'stop')
      return show(context, problemPage('This can’t be approved', judged.reason), 400);
    if (judged.kind === 'back') return context.redirect(judged.address, 302);
    if (isApproving) return context.redirect(await approve(sandbox, judged), 302);
    return show(context, ask(sandbox, consents, judged));
  });

  app.post('/authorize', bodyLimit({ maxSize: longestForm, onError: refuseForm }), async (context) => {
    // Browsers say whose form it is. The number in it is what counts: only the page that was shown has it.
    const site = context.req.header('sec-fetch-site') ?? 'same-origin';
    const form = new URLSearchParams(await context.req.text());
    const question = site === 'same-origin' ? consents.take(form.get('consent') ?? '') : undefined;
    if (!question) {
      const reason = 'This question was answered before, or it is not one that the sandbox asked.';
      return show(context, problemPage('There is nothing to approve', reason), 403);
    }
    const isApproved = form.get('decision') === 'approve';
    const address = isApproved
      ? await approve(sandbox, question)
      : deniedAddress(question.approval, question.state);
    return context.redirect(address, 303);
  });

  return app;
}

function refuseForm(context: Context): Response | Promise<Response> {
  return show(context, problemPage('This can’t be approved', 'The answer is too long to be one.'), 413);
}

function ask(sandbox: Sandbox, consents: Consents, question: Question): Page {
  const { scopes, redirectUri }: Approval = question.approval;
  const owner = sandbox.database.get('SELECT name FROM users WHERE is_owner = 1');
  const business = readFact(sandbox.database, 'business', isObject);
  return consentPage({
    number: consents.ask(question),
    clientName: demoClient.name,
    businessName: String(business?.name ?? 'the sandbox'),
    userName: String(owner?.name),
    scopes,
    redirectUri,
  });
}

async function approve(sandbox: Sandbox, { approval, state }: Question): Promise<string> {
  const { database, clock } = sandbox;
  const work = () => database.write(() => makeCode(database, approval, clock.now()));
  const code = await sandbox.whenFree(work);
  return approvedAddress(approval, code, state);
}

function show(
  context: Context,
  { body, headers }: Page,
  status: 200 | 400 | 403 | 413 = 200,
): Response | Promise<Response> {
  return context.html(body, status, headers);
}
