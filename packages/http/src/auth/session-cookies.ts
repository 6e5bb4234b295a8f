import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SESSION_COOKIE } from './session.ts'

const BROWSER_COOKIE = 'sender_browser'

/** The longest that a session lives (M40), and how long a browser is known after its last sign-in. Seconds. */
const SESSION_S = 7 * 86_400
const BROWSER_S = 180 * 86_400

const common = { httpOnly: true, sameSite: 'lax' } as const

type Tokens = Readonly<{ token: string; browser: string }>

/** The cookie that an earlier sign-in left in this browser; undefined where there was none. */
export function knownBrowser({ headers: { cookie } }: Pick<FastifyRequest, 'headers'>): string | undefined {
  return cookie === undefined ? undefined : parseCookie(cookie)[BROWSER_COOKIE]
}

export function setSessionCookies(reply: FastifyReply, { token, browser }: Tokens, secure: boolean): void {
  reply.header('Set-Cookie', [
    stringifySetCookie({ ...common, name: SESSION_COOKIE, value: token, path: '/', maxAge: SESSION_S, secure }),
    stringifySetCookie({ ...common, name: BROWSER_COOKIE, value: browser, path: '/', maxAge: BROWSER_S, secure }),
  ])
}

/** The browser stays known. */
export function clearSessionCookie(reply: FastifyReply, secure: boolean): void {
  reply.header('Set-Cookie', stringifySetCookie({ ...common, name: SESSION_COOKIE, value: '', path: '/', maxAge: 0, secure }))
}

/** The longest user agent that is kept. */
const MAX_AGENT = 512

/** Where a sign-in comes from, as its user is shown it. */
export function originOf({ clientAddress, headers }: Pick<FastifyRequest, 'clientAddress' | 'headers'>) {
  return { ip: clientAddress, agent: headers['user-agent']?.slice(0, MAX_AGENT) ?? null }
}
