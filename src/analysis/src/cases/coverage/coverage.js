// A link to a file or one of its lines opens what is folded around it. Not each browser does it by itself.
const unfold = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let at = target?.parentElement; at; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
    target?.scrollIntoView();
};
addEventListener("hashchange", unfold);
unfold();
