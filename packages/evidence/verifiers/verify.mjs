#!/usr/bin/env node
// Verifies a folder that `tidings consent export` wrote: needs Node.js 18 or later, and nothing else.
//
//   node verify.mjs [DIR] [--key FINGERPRINT] [--anchor FILE] [--json]
//
// DIR is by default the folder of this file. FINGERPRINT says whose log it must be: ask its operator by another way than the one by which you
// got the folder (`tidings doctor` prints it, /.well-known/tidings-log-key serves it). FILE is a copy of the file into which tree heads were
// anchored. Exit 0: nothing is wrong, and the log is that of the key or of the anchor that was given. Exit 3: nothing is wrong, and neither was given
// to trust: only consistency was checked. Exit 1: something is wrong, each named in a sentence. Exit 2: wrong usage.
//
// Formats: RFC 8785 (canonical JSON), RFC 6962 and RFC 9162 (Merkle tree, proofs), RFC 8032 (Ed25519), SHA-256. docs/reference/proof-format.md
// of Tidings has the grammar. verify.py does the same.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exitOf, HASH, headline, shownSafely, verifyProof } from './check-proof.mjs'

export * from './check-proof.mjs'

const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

/** What a proof is hashed and verified with. */
export const nodeCrypto = {
  sha256: (bytes) => createHash('sha256').update(bytes).digest('hex'),
  isSignedBy: (publicKey, signature, message) =>
    verify(null, message, createPublicKey({ key: Buffer.concat([SPKI, publicKey]), format: 'der', type: 'spki' }), signature),
}

/** A file of the export. A pipe in its place would never end, and is none. */
const fileOf = (directory) => (name) => {
  const path = join(directory, name)
  if (!statSync(path).isFile()) throw new Error(`${name} is no file`)
  return readFileSync(path)
}

/** The result as `--json` prints it. `trusted`: the fingerprint of the key that the log must have, `anchor`: a file; null where none was given. */
export function verifyFolder(directory, options) {
  return verifyFiles(fileOf(directory), options)
}

/** The same of files that `read` answers by their names, in bytes; it throws where there is none. */
export function verifyFiles(read, { trusted = null, anchor = null } = {}) {
  return verifyProof(read, { trusted, readAnchor: anchor === null ? null : () => readFileSync(anchor) }, nodeCrypto)
}

const USAGE = 'Usage: node verify.mjs [DIR] [--key FINGERPRINT] [--anchor FILE] [--json]\n'
const HELP = `
DIR: what \`tidings consent export\` wrote; by default the folder of this file.
--key: whose log it must be. Ask its operator by another way than the one by which you got the folder.
--anchor: a copy of the file into which tree heads were anchored.
--json: the result as one line of JSON.
Exit 0: nothing is wrong, and the log is that of the key or of the anchor. 3: nothing is wrong, and neither was given to trust: only
consistency was checked. 1: something is wrong, each named in a sentence. 2: wrong usage.
`

const usage = (sentence) => {
  process.stderr.write(`${shownSafely(sentence)}\n${USAGE}`)
  process.exit(2)
}

const optionsOf = (words) => {
  const options = { json: false, key: null, anchor: null, directory: null }
  const rest = [...words]
  while (rest.length > 0) {
    const word = rest.shift()
    if (word === '--json') options.json = true
    else if ((word === '--key' || word === '--anchor') && rest.length > 0) options[word.slice(2)] = rest.shift()
    else if (word.startsWith('-') || options.directory !== null) usage(`What is ${word}?`)
    else options.directory = word
  }
  return options
}

const main = (words) => {
  if (words.some((word) => word === '--help' || word === '-h')) return void process.stdout.write(USAGE + HELP)
  const options = optionsOf(words)
  const trusted = options.key?.toLowerCase() ?? null
  if (trusted !== null && !HASH.test(trusted)) usage('A fingerprint has 64 hexadecimal digits.')
  const result = verifyFolder(options.directory ?? dirname(fileURLToPath(import.meta.url)), { trusted, anchor: options.anchor })
  if (options.json) process.stdout.write(`${JSON.stringify(result)}\n`)
  else process.stdout.write(`${[headline(result), ...result.problems.map((problem) => `- ${problem}`), ...result.notes].join('\n')}\n`)
  process.exitCode = exitOf(result)
}

// Both by their real paths: node names a file behind a link by either.
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === realpathSync(fileURLToPath(import.meta.url)))
  main(process.argv.slice(2))
