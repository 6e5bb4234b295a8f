import { type Static, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { nullableText, verbatim } from './kinds.ts'

// The workspace as a file of `tidings apply`, as the dashboard shows and applies it.

const count = Type.Integer({ minimum: 0 })

export const WorkspaceFileText = described(Type.Object({ text: Type.String() }), {
  name: 'WorkspaceFileText',
  about: 'The workspace as a file, without anything secret.',
  fields: { text: 'YAML, as `tidings apply` reads it.' },
  example: { text: 'workspace:\n  slug: acme\n  name: Acme Ltd\n' },
})
export type WorkspaceFileText = Static<typeof WorkspaceFileText>

export const GivenFileBody = described(Type.Object({ text: verbatim(1_000_000, { notEmpty: true }) }), {
  name: 'GivenFileBody',
  about: 'A workspace file.',
  fields: { text: 'YAML or JSON, at most 1 000 000 characters and 2 000 records.' },
  example: { text: 'workspace:\n  slug: acme\n  name: Acme Ltd\n' },
})

export const FileDifference = described(Type.Object({ changes: Type.Array(Type.String()), commands: count, etag: Type.String() }), {
  name: 'FileDifference',
  about: 'What applying a file would change.',
  fields: {
    changes: 'A sentence for each change.',
    commands: 'How many commands make them; 0 where the workspace is as the file says.',
    etag: 'What `If-Match` of applying it must say: it names the changes and the state of what they change.',
  },
  example: { changes: ['changed a template: welcome'], commands: 1, etag: '0'.repeat(64) },
})
export type FileDifference = Static<typeof FileDifference>

export const AppliedFile = described(Type.Object({ done: count, left: count, etag: nullableText() }), {
  name: 'AppliedFile',
  about: 'How far a file is applied: a hundred commands at a time.',
  fields: {
    done: 'The commands that this request carried out.',
    left: 'Those that are left.',
    etag: 'What `If-Match` of the next request must say; null where nothing is left.',
  },
  example: { done: 1, left: 0, etag: null },
})
export type AppliedFile = Static<typeof AppliedFile>
