/** Leaves `from` to before `to`. */
export type Range = Readonly<{ from: number; to: number }>

/** A subtree of 2^`height` leaves; `index` counts those of its height from the left. */
export type Subtree = Readonly<{ height: number; index: number }>

/** RFC 6962 §2.1: the left half has the largest power of two that is smaller than the whole. */
const splitOf = ({ from, to }: Range): number => {
  let width = 1
  while (width * 2 < to - from) width *= 2
  return from + width
}

/** RFC 6962 §2.1.1: the ranges whose hashes lead from a leaf to the root of the first `size`, from the leaf upwards. */
export function inclusionRanges(index: number, size: number): readonly Range[] {
  const ranges: Range[] = []
  let range: Range = { from: 0, to: size }
  while (range.to - range.from > 1) {
    const split = splitOf(range)
    const halves = [
      { from: range.from, to: split },
      { from: split, to: range.to },
    ] as const
    const [inside, beside] = index < split ? halves : ([halves[1], halves[0]] as const)
    ranges.push(beside)
    range = inside
  }
  return ranges.toReversed()
}

/** RFC 6962 §2.1.2: the ranges whose hashes show that the tree of the first `old` leaves begins the tree of the first `size`. */
export function consistencyRanges(old: number, size: number): readonly Range[] {
  const ranges: Range[] = []
  let range: Range = { from: 0, to: size }
  while (range.to !== old) {
    const split = splitOf(range)
    const [inside, beside] =
      old <= split
        ? [
            { from: range.from, to: split },
            { from: split, to: range.to },
          ]
        : [
            { from: split, to: range.to },
            { from: range.from, to: split },
          ]
    ranges.push(beside)
    range = inside
  }
  // The verifier knows the old root itself.
  if (range.from > 0) ranges.push(range)
  return ranges.toReversed()
}

/** What a range of a tree consists of, from the left, each smaller than the one before. */
export function subtreesOf({ from, to }: Range): readonly Subtree[] {
  const subtrees: Subtree[] = []
  for (let at = from; at < to; ) {
    let [height, width] = [0, 1]
    while (at % (width * 2) === 0 && at + width * 2 <= to) {
      height += 1
      width *= 2
    }
    subtrees.push({ height, index: at / width })
    at += width
  }
  return subtrees
}
