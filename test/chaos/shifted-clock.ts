// Preloaded with `--import` into a process of a chaos test, whose clock then differs by CHAOS_CLOCK_OFFSET_MS from that of the machine.
const offset = Number(process.env.CHAOS_CLOCK_OFFSET_MS ?? 0)
const realNow = Date.now.bind(Date)

Date.now = () => realNow() + offset
globalThis.Date = new Proxy(Date, {
  construct: (target, given, self) => Reflect.construct(target, given.length === 0 ? [realNow() + offset] : given, self),
  apply: () => new Date().toString(),
})
Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + offset })
