import { type Answer, parsedAnswer } from './client.ts'

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
  const token = cookiesOf(answer).sender_session ?? ''
  return {
    token,
    call: (route, { body, headers = {} } = {}) =>
      call(url, route, { body, headers: { Authorization: `Bearer ${token}`, ...headers }, shown }),
  }
}
