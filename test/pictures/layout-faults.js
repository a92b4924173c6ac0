/** Faults in the layout of a page, as texts. It is run in the page, so it imports nothing. */
/* global document, getComputedStyle, innerHeight, innerWidth */
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
  /** The part of an element that its scrolling ancestors show; undefined without one. */
  const visibleOf = (element) => {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return undefined;
    let { left, top, right, bottom } = element.getBoundingClientRect();
    for (
      let parent = element.parentElement;
      parent !== null && parent !== root;
      parent = parent.parentElement
    ) {
      const { overflowX, overflowY } = getComputedStyle(parent);
      const box = parent.getBoundingClientRect();
      if (overflowX !== 'visible') [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
      if (overflowY !== 'visible') [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
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
    if (ownText && isOutside && !hasScroller(element) && element.closest('.skip') === null)
      faults.push(`outside of the page: ${nameOf(element)}`);
  }

  const interactive = [
    ...document.querySelectorAll(
      'a[href], button, input, select, textarea, [role=button], [role=tab], [role=switch]',
    ),
  ].flatMap((element) => {
    const box = visibleOf(element);
    if (box === undefined || element.closest('[inert], [hidden], .skip') !== null) return [];
    // An element below a floating one is not an overlap; one that is hit at its centre is on top.
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const hit = document.elementFromPoint(x, y);
    const isHit =
      hit !== null &&
      (element.contains(hit) || hit.contains(element) || hit.closest('label')?.contains(element) === true);
    return [{ element, box, isInView: y >= 0 && y <= innerHeight && x >= 0 && x <= innerWidth, isHit }];
  });
  const isFloating = (element) => {
    for (let one = element; one !== null && one !== root; one = one.parentElement)
      if (/fixed|sticky|absolute/.test(getComputedStyle(one).position)) return true;
    return false;
  };
  interactive.forEach((a, i) => {
    for (const b of interactive.slice(i + 1)) {
      if (a.element.contains(b.element) || b.element.contains(a.element)) continue;
      const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (wide <= 3 || high <= 3) continue;
      if (isFloating(a.element) !== isFloating(b.element)) continue;
      if (a.isInView && b.isInView && a.isHit && b.isHit && wide * high < 40) continue;
      faults.push(`overlap: ${nameOf(a.element)} and ${nameOf(b.element)}`);
    }
  });
  return [...new Set(faults)];
})();
