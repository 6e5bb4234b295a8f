/** The marks of an axis from 0 on: at most five, at round numbers, the last not below the greatest value. */
export function ticksOf(greatest: number): readonly number[] {
  const rough = Math.max(1, greatest) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((one) => one >= rough) ?? rough)
  return Array.from({ length: Math.ceil(Math.max(1, greatest) / step) + 1 }, (_, n) => n * step)
}

/** The steps that are named below the axis: as many as there is room for, evenly apart, the first among them. */
export function namedSteps(steps: number, room: number): readonly number[] {
  const every = Math.max(1, Math.ceil(steps / Math.max(1, room)))
  return Array.from({ length: Math.ceil(steps / every) }, (_, n) => n * every)
}
