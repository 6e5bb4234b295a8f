import { CallFailed, createCaller, createOriginGuard } from '@tidings/outbound-http'
import { basicAuth, type TwilioAccount } from './account.ts'
import { type Outcome, readAnswer } from './read-answer.ts'

export type Form = Readonly<Record<string, string>>

/** `callMs`: for one request, from the look-up of the name to the end of the answer. */
export type RequestsSettings = Readonly<{ resource: 'Messages' | 'Calls'; account: TwilioAccount; connections: number; callMs: number }>

export type Requests = Readonly<{
  /** It never rejects: a request without an answer is `unconfirmed` if it had left, else `outage`. `onSent` is called right before it leaves. */
  post: (form: Form, onSent?: () => void) => Promise<Outcome>
  close: () => Promise<void>
}>

/** Posts forms to one resource of an account, over kept connections, wherever the operator's host is. Redirects are not followed. */
export function createRequests({ resource, account, connections, callMs }: RequestsSettings): Requests {
  const { origin, basePath, sid } = account
  const url = `${origin}${basePath}/2010-04-01/Accounts/${sid}/${resource}.json`
  const headers = { authorization: basicAuth(account), 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
  const caller = createCaller({ guard: createOriginGuard(origin), timeoutMs: callMs, connections })
  return {
    post: async (form, onSent) => {
      const body = Buffer.from(new URLSearchParams(form).toString())
      try {
        return readAnswer(await caller.ask({ scope: '', lane: '', url, headers, body }, onSent), sid)
      } catch (error) {
        const isSent = error instanceof CallFailed && error.sent
        return {
          failure: isSent ? 'unconfirmed' : 'outage',
          response: (error as Error).message,
          waitMs: null,
          status: null,
          isByCode: false,
        }
      }
    },
    close: caller.close,
  }
}
