/** Why Postgres takes no work, and how to mend it; sentences for an operator, without a secret. */
type DatabaseFault = Readonly<{ said: string; mend: string }>

/** `text`: what a program says that has no code, as `initdb` and a server that does not start. */
type Explained = Readonly<{ codes: RegExp; text?: RegExp; said: string; mend: string }>

/** SQLSTATEs of Postgres, and codes of the operating system. An address that does not answer is not among them: it may be that of another server. */
const FAULTS: readonly Explained[] = [
  {
    codes: /^(53100|ENOSPC|EDQUOT)$/,
    text: /No space left on device|Disk quota exceeded/,
    said: 'the disk is full',
    mend: 'Make room on it: what was acknowledged is kept, and the service goes on by itself.',
  },
  {
    codes: /^53300$/,
    said: 'every connection of Postgres is taken',
    mend: 'Raise its max_connections, or lower TIDINGS_DATABASE_POOL_SIZE or the number of processes: each takes two pools and a few more.',
  },
  { codes: /^53200$/, said: 'Postgres has no memory left', mend: 'Give it more, or lower its work_mem and max_connections.' },
  { codes: /^25006$/, said: 'the database takes no writes', mend: 'Point TIDINGS_DATABASE_URL at the primary, or promote this server.' },
  { codes: /^57P0[123]$/, said: 'Postgres is starting or stopping', mend: 'Wait until it runs.' },
]

const DEEPEST_CAUSE = 4

/** What an error says of Postgres or its disk, or one of its causes; null where it says nothing of them. */
export function databaseFault(error: unknown, depth: number = DEEPEST_CAUSE): DatabaseFault | null {
  if (!(error instanceof Error)) return null
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const found = FAULTS.find(({ codes, text }) => codes.test(code) || text?.test(error.message) === true)
  if (found !== undefined) return { said: `${found.said} (${error.message || code})`, mend: found.mend }
  return depth === 0 ? null : databaseFault(error.cause, depth - 1)
}
