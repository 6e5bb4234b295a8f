import type { Applied } from '@tidings/provisioning'
import { eventually } from './eventually.ts'

export type Answer = Readonly<{ status: number; headers: Headers; body: Body }>
/** The parsed envelope; tests know what they asked for. */
type Body = Readonly<{ success: boolean; message?: string; code?: string; data: never }>

/** An integrator's client of one workspace. */
export type Client = Readonly<{
  url: string
  slug: string
  key: string
  applied: Applied
  fromEmail: string
  request: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ) => Promise<Answer>
  /** Sends an email and answers with its id. */
  send: (to: string, more?: Readonly<Record<string, unknown>>) => Promise<string>
  /** Asks for a message until its status is one of `wanted`. */
  messageWith: (id: string, ...wanted: readonly string[]) => Promise<Readonly<Record<string, unknown>>>
  /** Waits until everything that was written is shown. */
  shown: () => Promise<void>
}>

const parsed = async (response: Response): Promise<Body> => {
  const text = await response.text()
  return (text.startsWith('{') ? JSON.parse(text) : { success: response.ok, message: text }) as Body
}

export async function parsedAnswer(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, body: await parsed(response) }
}

/** `shown`: as the client has it; without it a client asks for what may not be shown yet. */
type Api = Readonly<{ url: string; applied: Applied; shown?: () => Promise<void> }>

/** What a write says that reads do not show within the two seconds that it waits for them (M2): a busy machine is that late. */
const isPending = ({ headers }: Response): boolean => headers.get('x-consistency') === 'pending'

/** The answer to a request, once reads show what it has written. */
export async function shownFetch(shown: Client['shown'], url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init)
  if (isPending(response)) await shown()
  return response
}

export function clientOf({ url, applied, shown = async () => undefined }: Api): Client {
  const { slug } = applied.workspace
  const key = applied.apiKeys[0]?.key ?? ''
  const fromEmail = `hello@${slug}.example`
  const request: Client['request'] = async (method, path, body, headers = {}, signal = undefined) => {
    const json = body === undefined ? {} : { 'Content-Type': 'application/json' }
    const response = await shownFetch(shown, `${url}/api/v1${path}`, {
      method,
      headers: { 'X-Sender-Tenant': slug, 'X-API-Key': key, ...json, ...headers },
      ...(signal && { signal }),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return await parsedAnswer(response)
  }
  const send: Client['send'] = async (to, more = {}) => {
    const { status, body } = await request('POST', '/public/messages/email', {
      to,
      fromEmail,
      subject: 'Hello',
      html: '<p>Hi</p>',
      ...more,
    })
    if (status !== 202) throw new Error(`the send was answered ${status}: ${body.message}`)
    return (body.data as { messageId: string }).messageId
  }
  const messageWith: Client['messageWith'] = (id, ...wanted) =>
    eventually(
      async () => (await request('GET', `/public/messages/${id}`)).body.data as Readonly<Record<string, unknown>>,
      (record) => wanted.includes(String(record?.status)),
    )
  return { url, slug, key, applied, fromEmail, request, send, messageWith, shown }
}
