type Access = Readonly<{ url: string; key: string; listId: string }>

/** One list of the bench's workspace over HTTP; anything but a 200 ends the bench. `segment` in a query names the list. */
export type ListClient = Readonly<{
  access: Access
  add: (contactIds: readonly string[]) => Promise<Readonly<{ added: number; count: number }>>
  remove: (contactIds: readonly string[]) => Promise<Readonly<{ removed: number; count: number }>>
  profiles: (query: string) => Promise<Readonly<{ total: number }>>
  lists: () => Promise<unknown>
}>

export function listClient(access: Access): ListClient {
  const { url, key, listId } = access
  const headers = { 'content-type': 'application/json', 'x-sender-tenant': 'bench', 'x-api-key': key }
  const ask = async <Data>(method: string, path: string, body?: unknown): Promise<Data> => {
    const answer = await fetch(`${url}/api/v1/public${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${method} ${path} was answered ${answer.status}: ${text}`)
    return (JSON.parse(text) as { data: Data }).data
  }
  return {
    access,
    add: (contactIds) => ask('POST', `/lists/${listId}/members`, { contactIds }),
    remove: (contactIds) => ask('DELETE', `/lists/${listId}/members`, { contactIds }),
    profiles: (query) => ask('GET', `/profiles?${query.replace('segment', `segmentId=${listId}`)}`),
    lists: () => ask('GET', '/lists'),
  }
}

/** What the work gave, and how many milliseconds it took. */
export async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const begun = performance.now()
  return [await work(), performance.now() - begun]
}
