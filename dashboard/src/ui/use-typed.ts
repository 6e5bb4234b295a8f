import { useEffect, useRef, useState } from 'react'

/** What a field has asked for after one of it has arrived; null where the value comes from elsewhere: a button that clears, a step back in the history. */
export function stillAsked(asked: readonly string[], arrived: string): readonly string[] | null {
  const place = asked.lastIndexOf(arrived)
  return place < 0 ? null : asked.slice(place + 1)
}

/**
 * The text of a field whose value stands in the address. What the field asked for arrives later, when more may be typed: it is no reason to
 * take that back. `asks` notes each value that the field asks for.
 */
export function useTyped(value: string): Readonly<{ text: string; type: (text: string) => void; asks: (value: string) => void }> {
  const [text, type] = useState(value)
  const asked = useRef<readonly string[]>([])
  useEffect(() => {
    const left = stillAsked(asked.current, value)
    asked.current = left ?? []
    if (left === null) type(value)
  }, [value])
  return {
    text,
    type,
    asks: (next) => {
      asked.current = [...asked.current, next]
    },
  }
}
