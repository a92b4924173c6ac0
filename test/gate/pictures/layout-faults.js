/** Faults in the layout of a page, as texts. It is run in the page, so it imports nothing. */
/* global document, getComputedStyle */
(() => {
  const faults = [];
  const root = document.documentElement;
  const excess = root.scrollWidth - root.clientWidth;
  if (excess > 0) faults.push(`the page is ${excess} px too wide`);
  const nameOf = (element) => {
    const text = (element.getAttribute('aria-label') ?? element.textContent ?? '')
      .trim()
      .replaceAll(/\s+/g, ' ');
    const classes =
      typeof element.className === 'string' ? element.className.trim().replaceAll(/\s+/g, '.') : '';
    return `<${element.tagName.toLowerCase()}${classes === '' ? '' : '.' + classes}> ${text.slice(0, 40)}`;
  };
  const windows = new Map();
  /** The visible part of the elements inside of an element and its ancestors. */
  const windowOf = (element) => {
    if (element === null || element === root)
      return { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
    const known = windows.get(element);
    if (known !== undefined) return known;
    const window = { ...windowOf(element.parentElement) };
    const { overflowX, overflowY } = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    if (overflowX !== 'visible') {
      window.left = Math.max(window.left, box.left);
      window.right = Math.min(window.right, box.right);
    }
    if (overflowY !== 'visible') {
      window.top = Math.max(window.top, box.top);
      window.bottom = Math.min(window.bottom, box.bottom);
    }
    windows.set(element, window);
    return window;
  };
  /** The part of an element that its scrolling ancestors show; undefined without one. */
  const visibleOf = (element) => {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return undefined;
    const box = element.getBoundingClientRect();
    const window = windowOf(element.parentElement);
    const left = Math.max(box.left, window.left);
    const top = Math.max(box.top, window.top);
    const right = Math.min(box.right, window.right);
    const bottom = Math.min(box.bottom, window.bottom);
    return right - left > 1 && bottom - top > 1 ? { left, top, right, bottom } : undefined;
  };
  const isScrolled = (element) => /auto|scroll/.test(getComputedStyle(element).overflowX);
  const hasScroller = (element) => {
    for (let one = element; one !== null && one !== root; one = one.parentElement)
      if (isScrolled(one)) return true;
    return false;
  };

  for (const element of document.body.querySelectorAll('*')) {
    const visible = visibleOf(element);
    if (visible === undefined || element.closest('svg, .cm-editor, .u-wrap') !== null) continue;
    const style = getComputedStyle(element);
    const ownText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
    const isCut = element.scrollWidth > element.clientWidth + 1 && /hidden|clip/.test(style.overflowX);
    if (isCut && ownText && style.display !== 'inline') {
      const hasRest = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none';
      const hasTitle =
        element.closest('[title], [aria-label]') !== null || element.querySelector('[title]') !== null;
      // Texts for screen readers only are one pixel large.
      if (element.clientWidth > 2 && !(hasRest && hasTitle)) faults.push(`cut text: ${nameOf(element)}`);
    }
    const isOutside = visible.right > root.clientWidth + 1 || visible.left < -1;
    if (ownText && isOutside && !hasScroller(element) && element.closest('.shell-skip') === null)
      faults.push(`outside of the page: ${nameOf(element)}`);
  }

  const interactive = [
    ...document.querySelectorAll(
      'a[href], button, input, select, textarea, [role=button], [role=tab], [role=switch]',
    ),
  ].flatMap((element) => {
    const box = visibleOf(element);
    if (box === undefined || element.closest('[inert], [hidden], .shell-skip') !== null) return [];
    return [{ element, box }];
  });
  /** The bar, drawer or popover that an element is in. */
  const layerOf = (element) => {
    for (let one = element; one !== null && one !== root; one = one.parentElement)
      if (/fixed|sticky|absolute/.test(getComputedStyle(one).position)) return one;
    return undefined;
  };
  const isInput = ({ element }) => element.matches('input, textarea');
  const isInside = (a, b) =>
    a.left >= b.left - 2 && a.right <= b.right + 2 && a.top >= b.top - 2 && a.bottom <= b.bottom + 2;
  interactive.forEach((a, i) => {
    for (const b of interactive.slice(i + 1)) {
      if (a.element.contains(b.element) || b.element.contains(a.element)) continue;
      const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (wide <= 3 || high <= 3) continue;
      // Bars, drawers and popovers may lie over what is outside of them, and a button may lie in its input.
      if (layerOf(a.element) !== layerOf(b.element)) continue;
      if (isInput(b) && isInside(a.box, b.box)) continue;
      if (isInput(a) && isInside(b.box, a.box)) continue;
      faults.push(`overlap: ${nameOf(a.element)} and ${nameOf(b.element)}`);
    }
  });

  const dialog = document.querySelector('[role=dialog]');
  for (const { element, box } of interactive) {
    const isAbove = dialog === null || dialog.contains(element);
    if (element.closest('.edit-bar') === null || !isAbove) continue;
    const top = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    if (top !== null && !element.contains(top)) faults.push(`covered: ${nameOf(element)}`);
  }
  return [...new Set(faults)];
})();
