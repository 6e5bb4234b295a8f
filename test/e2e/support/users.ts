import { createCommandRunner } from '@tidings/commands'
import { asWorkspaceId, NIL_ID, user, userStream } from '@tidings/domain'
import type { Stores } from '@tidings/service/stores'
import { makeSignInLink, unusablePasswordHash } from '@tidings/sign-in'
import { PATIENT_MS } from '@tidings/testing'
import { type Answer, type Client, parsedAnswer } from './client.ts'

/** What a browser keeps: name and value of each cookie. */
export type Cookies = Readonly<Record<string, string>>

type CallOptions = Readonly<{ body?: unknown; headers?: Readonly<Record<string, string>>; shown?: (() => Promise<void>) | undefined }>

/** A request to the API with nothing that authenticates it but `headers`. `shown` waits until reads show what it has written. */
export async function call(url: string, route: string, { body, headers = {}, shown }: CallOptions = {}): Promise<Answer> {
  const [method = '', path = ''] = route.split(' ')
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer = await parsedAnswer(response)
  if (answer.headers.get('x-consistency') === 'pending') await shown?.()
  return answer
}

export function cookiesOf({ headers }: Answer): Cookies {
  return Object.fromEntries(headers.getSetCookie().map((cookie) => (cookie.split(';', 1)[0] ?? '').split('=', 2)))
}

export type Session = Readonly<{ token: string; call: (route: string, asking?: CallOptions) => Promise<Answer> }>

/** Somebody who signed in and goes on as a script does, with the token in `Authorization`. */
export async function signIn(url: string, credentials: Readonly<Record<string, string>>, shown?: () => Promise<void>): Promise<Session> {
  const answer = await call(url, 'POST /auth/login', { body: credentials })
  if (answer.status !== 200) throw new Error(`the sign-in was answered ${answer.status}: ${answer.body.message}`)
  return sessionOf(url, answer, shown)
}

/** The session that a sign-in, by whatever route, was answered with. */
export function sessionOf(url: string, answer: Answer, shown?: () => Promise<void>): Session {
  const token = cookiesOf(answer).sender_session ?? ''
  return {
    token,
    call: (route, { body, headers = {} } = {}) =>
      call(url, route, { body, headers: { Authorization: `Bearer ${token}`, ...headers }, shown }),
  }
}

/** The token of a new link that signs a user of the workspace in once, as `tidings user link` makes it; with `isOperator` that of the first start. */
export async function newLink(
  { pool, log }: Stores,
  { applied }: Client,
  email: string,
  { hours = 1, isOperator = false } = {},
): Promise<string> {
  const workspaceId = asWorkspaceId(applied.workspace.id)
  const { state } = await createCommandRunner({ log, deadlineMs: PATIENT_MS }).load({
    decider: user,
    stream: userStream(workspaceId, applied.users[email] ?? ''),
    workspaceId,
  })
  if (state === null) throw new Error(`${email} is no user of ${applied.workspace.slug}`)
  return (await makeSignInLink(pool, { workspaceId, user: state, hours, isOperator })).token
}

/** A new operator of the installation, and the token of a link that signs them in once, as `tidings operator add` makes both. */
export async function newOperator({ pool, log }: Stores): Promise<Readonly<{ userId: string; email: string; token: string }>> {
  const workspaceId = asWorkspaceId(NIL_ID)
  const userId = crypto.randomUUID()
  const data = { userId, email: 'operator@tidings.example', role: 'owner', passwordHash: unusablePasswordHash() } as const
  const context = { commandId: userId, workspaceId, actor: 'operator', requestId: 'test', at: new Date().toISOString() }
  await createCommandRunner({ log, deadlineMs: PATIENT_MS }).execute({
    decider: user,
    stream: userStream(workspaceId, userId),
    command: { type: 'AddUser', data },
    context,
  })
  return { userId, email: data.email, token: (await makeSignInLink(pool, { workspaceId, user: data, hours: 1 })).token }
}
