import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

/** The account that runs the server. `switched`: it is not the account of this process, so it must own its files and be able to reach them. */
export type Identity = Readonly<{ uid: number; gid: number; switched: boolean }>

const CANDIDATES = ['postgres', 'nobody']

/**
 * Postgres refuses to run as root. An ordinary user runs it as himself; root gives it to the owner of the cluster that is
 * already there, else to the first account of `CANDIDATES` that exists.
 */
export async function serverIdentity(clusterDir: string): Promise<Identity> {
  const uid = process.getuid?.() ?? 0
  const gid = process.getgid?.() ?? 0
  if (uid !== 0) return { uid, gid, switched: false }
  const owner = await stat(clusterDir).catch(() => undefined)
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, switched: true }
  for (const name of CANDIDATES) {
    const found = await lookUp(name)
    if (found !== undefined) return { ...found, switched: true }
  }
  const names = CANDIDATES.map((name) => `\`${name}\``).join(' or ')
  throw new Error(`Postgres cannot run as root and there is no account ${names} to run it as: start Tidings as another user.`)
}

async function lookUp(name: string): Promise<{ uid: number; gid: number } | undefined> {
  const ask = async (flag: string) => Number((await promisify(execFile)('id', [flag, name])).stdout.trim())
  return Promise.all([ask('-u'), ask('-g')]).then(
    ([uid, gid]) => ({ uid, gid }),
    () => undefined,
  )
}

/** Whether every folder on the way to `path`, and the file itself, may be entered and read by `identity`. Knows no ACLs. */
export async function canReach(identity: Identity, path: string): Promise<boolean> {
  if (!identity.switched) return true
  for (let at = path; ; at = dirname(at)) {
    const found = await stat(at)
    const wanted = 0o5
    const shift = found.uid === identity.uid ? 6 : found.gid === identity.gid ? 3 : 0
    const needed = at === path ? wanted : 0o1
    if (((found.mode >> shift) & needed) !== needed) return false
    if (at === dirname(at)) return true
  }
}
