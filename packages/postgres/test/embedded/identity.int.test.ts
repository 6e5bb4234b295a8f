import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { canReach, type Identity, serverIdentity } from '../../src/embedded/identity.ts'

const stranger: Identity = { uid: 4_000_000, gid: 4_000_000, switched: true }
let home: string
let program: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidings-home-'))
  program = join(home, 'bin', 'program')
  await mkdir(join(home, 'bin'))
  await writeFile(program, '')
  await Promise.all([chmod(join(home, 'bin'), 0o755), chmod(program, 0o755)])
})

afterAll(() => rm(home, { recursive: true }))

test('a program under a home that others cannot enter is out of reach for another user', async () => {
  await chmod(home, 0o700)
  expect(await canReach(stranger, program)).toBe(false)
  await chmod(home, 0o711)
  expect(await canReach(stranger, program)).toBe(true)
  await chmod(program, 0o700)
  expect(await canReach(stranger, program)).toBe(false)
  expect(await canReach({ ...stranger, switched: false }, program)).toBe(true)
})

test('the server never runs as root', async () => {
  const identity = await serverIdentity(join(home, 'no-cluster-yet'))
  expect(identity.uid).not.toBe(0)
  expect(identity.switched).toBe(process.getuid?.() === 0)
})
