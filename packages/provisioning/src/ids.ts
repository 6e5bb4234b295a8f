import { uuidv5 } from '@tidings/codec'

type Kind = 'template' | 'sender' | 'tag' | 'list' | 'field' | 'event' | 'campaign' | 'connector' | 'flow'

/** Records with a natural key have the id that key gives them, so applying a file twice names the same records. */
export function recordIdOf(workspaceId: string, kind: Kind, key: string): string {
  return uuidv5(`${kind}:${key}`, workspaceId)
}
