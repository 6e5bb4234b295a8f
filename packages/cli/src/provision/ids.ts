import { uuidv5 } from '@tidings/codec'

/** Records with a natural key have the id that key gives them, so applying a file twice names the same records. */
export const recordIdOf = (workspaceId: string, kind: 'template' | 'sender' | 'tag' | 'list', key: string): string =>
  uuidv5(`${kind}:${key}`, workspaceId)
