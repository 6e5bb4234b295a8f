import { hash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GrowingTree, openTilesOf, type Tile } from '../../../src/proof/tree/growing-tree.ts'
import { EMPTY_ROOT, leafHash, nodeHash } from '../../../src/proof/tree/hash.ts'
import { consistencyRanges, inclusionRanges } from '../../../src/proof/tree/ranges.ts'
import { hashOfRange } from '../../../src/proof/tree/tiles.ts'
import { isConsistent, isIncluded, nodeCrypto } from '../../../verifiers/verify.mjs'

const LARGE = 70_000

/** RFC 6962 §2.1, word for word. */
const mth = (leaves: readonly Buffer[]): Buffer => {
  const [first] = leaves
  if (first === undefined) return EMPTY_ROOT
  if (leaves.length === 1) return first
  let k = 1
  while (k * 2 < leaves.length) k *= 2
  return nodeHash(mth(leaves.slice(0, k)), mth(leaves.slice(k)))
}

/** Every tile of a tree, as it is after the last leaf. */
const grown = (leaves: readonly Buffer[]) => {
  const tree = new GrowingTree(0, [])
  for (const leaf of leaves) tree.append(leaf)
  const tiles = new Map(tree.takeChanged().map((tile) => [`${tile.level}/${tile.index}`, tile.hashes]))
  return { tree, hashesOf: ({ level, index }: Readonly<{ level: number; index: number }>) => tiles.get(`${level}/${index}`)! }
}

const numbered = (count: number): Buffer[] => Array.from({ length: count }, (_, n) => leafHash(String(n)))
const hex = (hashes: readonly Buffer[]) => hashes.map((each) => each.toString('hex'))
const sizes = fc.integer({ min: 1, max: 1_200 })

test('the roots are those of the test vectors of Certificate Transparency', () => {
  const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
  const leaves = inputs.map((input) => hash('sha256', Buffer.from(`00${input}`, 'hex'), 'buffer'))
  expect(EMPTY_ROOT.toString('hex')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  expect(
    leaves.map((_, n) =>
      grown(leaves.slice(0, n + 1))
        .tree.root()
        .toString('hex'),
    ),
  ).toEqual([
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ])
})

test('a leaf does not pass for a node', () => {
  const [left, right] = numbered(2) as [Buffer, Buffer]
  expect(leafHash(Buffer.concat([left, right]).toString('latin1'))).not.toEqual(nodeHash(left, right))
})

test('the root is that of the recursive definition, whatever was stored in between', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 4 }), (portions) => {
      const stored = new Map<string, Tile>()
      const leaves: Buffer[] = []
      for (const portion of portions) {
        const open = openTilesOf(leaves.length).map(({ level, index }) => stored.get(`${level}/${index}`)!)
        const tree = new GrowingTree(leaves.length, open)
        for (let n = 0; n < portion; n++) {
          const leaf = leafHash(String(leaves.length))
          leaves.push(leaf)
          tree.append(leaf)
        }
        for (const tile of tree.takeChanged()) stored.set(`${tile.level}/${tile.index}`, tile)
        expect(tree.root()).toEqual(mth(leaves))
      }
    }),
    { numRuns: 30 },
  )
})

describe('a proof of inclusion', () => {
  test('leads from every leaf to the root, and no other leaf or place does', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), (size, nth) => {
        const leaves = numbered(size)
        const index = nth % size
        const { tree, hashesOf } = grown(leaves)
        const path = hex(inclusionRanges(index, size).map((range) => hashOfRange(range, hashesOf)))
        const root = tree.root().toString('hex')
        const leaf = leaves[index]!.toString('hex')
        expect(isIncluded({ leaf, index, size, path, root }, nodeCrypto)).toBe(true)
        expect(isIncluded({ leaf: leafHash('another').toString('hex'), index, size, path, root }, nodeCrypto)).toBe(false)
        if (size > 1) expect(isIncluded({ leaf, index: (index + 1) % size, size, path, root }, nodeCrypto)).toBe(false)
        expect(isIncluded({ leaf, index, size, path: [...path, leaf], root }, nodeCrypto)).toBe(false)
        expect(isIncluded({ leaf, index, size, path: path.slice(1), root }, nodeCrypto)).toBe(size === 1)
      }),
    )
  })

  test('reads a tree of three levels', () => {
    const { tree, hashesOf } = grown(numbered(LARGE))
    const root = tree.root().toString('hex')
    for (const index of [0, 255, 256, 65_535, 65_536, LARGE - 1]) {
      const path = hex(inclusionRanges(index, LARGE).map((range) => hashOfRange(range, hashesOf)))
      const leaf = leafHash(String(index)).toString('hex')
      expect(isIncluded({ leaf, index, size: LARGE, path, root }, nodeCrypto)).toBe(true)
    }
  })
})

test('a proof of consistency shows that a tree begins another, and nothing else passes for one', () => {
  fc.assert(
    fc.property(sizes, fc.nat(), (size, nth) => {
      const old = 1 + (nth % size)
      const leaves = numbered(size)
      const { tree, hashesOf } = grown(leaves)
      const path = hex(consistencyRanges(old, size).map((range) => hashOfRange(range, hashesOf)))
      const root = tree.root().toString('hex')
      const oldRoot = mth(leaves.slice(0, old)).toString('hex')
      expect(isConsistent({ old, oldRoot, size, root, path }, nodeCrypto)).toBe(true)
      const forged = mth([...leaves.slice(0, old - 1), leafHash('another')]).toString('hex')
      expect(isConsistent({ old, oldRoot: forged, size, root, path }, nodeCrypto)).toBe(false)
      expect(isConsistent({ old, oldRoot, size, root: forged, path }, nodeCrypto)).toBe(false)
      expect(isConsistent({ old, oldRoot, size, root, path: [...path, root] }, nodeCrypto)).toBe(false)
    }),
  )
})
