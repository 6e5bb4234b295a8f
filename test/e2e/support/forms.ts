import { type Client, shownFetch } from './client.ts'

export const SHOP = 'https://shop.acme.example'

/** What an answer says to the page that asked. */
export type FormAnswer = Readonly<{
  status: number
  headers: Headers
  body: Readonly<{ success?: boolean; message?: string; code?: string; data: Readonly<Record<string, unknown>> }>
}>

/** A page with an embedded form: what its browser sends to the service. */
export function formOf({ url, slug, key, shown }: Pick<Client, 'url' | 'slug' | 'key' | 'shown'>, origin: string | null = SHOP) {
  const send = async (method: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<FormAnswer> => {
    const response = await shownFetch(shown, `${url}/api/v1/forms/subscribe`, {
      method,
      headers: { ...(origin !== null && { Origin: origin }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : { message: text } }
  }
  return {
    subscribe: (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
      send('POST', body, { 'Content-Type': 'application/json', 'X-Sender-Tenant': slug, 'X-API-Key': key, ...headers }),
    preflight: (headers: Readonly<Record<string, string>> = {}) =>
      send('OPTIONS', undefined, {
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type,x-api-key,x-sender-tenant',
        ...headers,
      }),
  }
}
