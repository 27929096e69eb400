import { useEffect, useRef, useState } from 'react';

/** Measures the width of the element that gets `ref`. The width is 0 until it is known. */
export function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!ref.current) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}

/** Whether the content overflows the element that gets `ref`. A box that overflows must be reachable by keyboard. */
export function useOverflow() {
  const ref = useRef<HTMLDivElement>(null);
  const [isOverflowing, setOverflowing] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const isLarger = () => element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight;
    const observer = new ResizeObserver(() => setOverflowing(isLarger()));
    observer.observe(element);
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    return () => observer.disconnect();
  }, []);
  return { ref, isOverflowing };
}
