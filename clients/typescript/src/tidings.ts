import createClient, { defaultPathSerializer } from 'openapi-fetch'
import { Resources } from './generated/resources.ts'
import type { paths } from './generated/schema.ts'
import { createSender, type SendOptions } from './send.ts'

/** The service, and who calls it. */
export type TidingsOptions = SendOptions &
  Readonly<{
    /** The address of the service, such as `https://mail.example.com`. A path behind the host is kept. */
    url: string
    /** The slug of the workspace, or its UUID. */
    workspace: string
    /** A key of the workspace. */
    key: string
  }>

/** A path with its ids, of which each stays one part of it: an empty one, or only dots, would lead to another path. */
const pathOf = (template: string, ids: Record<string, unknown>): string => {
  if (Object.values(ids).some((id) => typeof id !== 'string' || /^\.{0,2}$/.test(id))) throw new TypeError('an id is empty, or only dots')
  return defaultPathSerializer(template, ids)
}

/** A workspace of a Tidings service. It holds no connection and needs no end. */
export class Tidings extends Resources {
  constructor({ url, workspace, key, ...options }: TidingsOptions) {
    super(
      createClient<paths>({
        baseUrl: url,
        headers: { 'X-Sender-Tenant': workspace, 'X-API-Key': key },
        fetch: createSender(options),
        pathSerializer: pathOf,
        // The service takes several values of a filter with commas between them.
        querySerializer: { array: { style: 'form', explode: false } },
      }),
    )
  }
}
