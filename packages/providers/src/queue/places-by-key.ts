import { type PlaceRequest, Places, type PlacesSettings } from './places.ts'

/** Places of which each key has its own; a key without a message takes no memory. */
export class PlacesByKey {
  readonly #settings: PlacesSettings
  readonly #places = new Map<string, Places>()

  constructor(settings: PlacesSettings) {
    this.#settings = settings
  }

  async take(key: string, request: PlaceRequest): Promise<() => void> {
    const places = this.#places.get(key) ?? new Places(this.#settings)
    this.#places.set(key, places)
    const forget = (): void => {
      if (places.isIdle() && this.#places.get(key) === places) this.#places.delete(key)
    }
    const leave = await places.take(request).finally(forget)
    return () => {
      leave()
      forget()
    }
  }
}
