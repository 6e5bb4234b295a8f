import { uuidv5 } from '@tidings/codec'

/** Fixed for ever: workspace ids are made from it. */
const WORKSPACES = '6f0f2f1e-3c0b-5d59-9a63-0d4c9c6c7d11'

/** The id is made from the slug: two creations of one slug meet in one stream, and the id needs no lookup. */
export function workspaceIdOf(slug: string): string {
  return uuidv5(slug, WORKSPACES)
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The id of a workspace that is named by its slug or by its lower-case UUID. */
export function workspaceIdFrom(reference: string): string {
  return UUID.test(reference) ? reference : workspaceIdOf(reference)
}
