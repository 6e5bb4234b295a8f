import type { List, Page } from '@tidings/contracts'
import { dataOf } from './answers.ts'
import type { Client } from './client.ts'

type Members = Readonly<{ email?: string; emails?: readonly string[]; contactIds?: readonly string[] }>

/** The list routes of one workspace, answering with the data; whatever else is answered fails the test. */
export function listsOf({ request, applied }: Client) {
  const members = (id: string) => `/public/lists/${id}/members`
  return {
    /** The id of a list of the workspace file. */
    id: (name: string): string => applied.lists[name] ?? '',
    page: async (query = '') => dataOf<Page<List>>(await request('GET', `/public/lists${query}`), 200),
    add: async (id: string, body: Members, headers?: Readonly<Record<string, string>>) =>
      dataOf<{ added: number; count: number }>(await request('POST', members(id), body, headers), 200),
    remove: async (id: string, body: Members) =>
      dataOf<{ removed: number; count: number }>(await request('DELETE', members(id), body), 200),
    removeOne: async (id: string, contactId: string) =>
      dataOf<{ count: number }>(await request('DELETE', `${members(id)}/${contactId}`), 200),
  }
}
