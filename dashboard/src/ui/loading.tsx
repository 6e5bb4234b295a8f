import { Skeleton, VisuallyHidden } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useWords } from '../words/words.tsx'

/** Nothing for 200 ms, then the shape of what comes. */
export function Loading() {
  const { app } = useWords()
  const [shown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 200)
    return () => clearTimeout(timer)
  }, [])
  if (!shown) return null
  return (
    <div role="status" data-loading>
      <VisuallyHidden>{app.loading}</VisuallyHidden>
      {['100%', '92%', '96%', '70%'].map((width) => (
        <Skeleton key={width} h={20} w={width} mb="sm" />
      ))}
    </div>
  )
}
